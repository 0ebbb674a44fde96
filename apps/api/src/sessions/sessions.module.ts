import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/accounts.module';
import { KeysModule } from '../keys/keys.module';
import { TransfersModule } from '../transfers/transfers.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { SweepsModule } from '../worker/sweeps.module';
import { OutsideHttp } from '../http/outside-http';
import { ChargeKind } from './charge-kind';
import { ChargePayments } from './charge-payments';
import { ChargeTurns } from './charge-turns';
import { ChargesService } from './charges.service';
import { Credentials } from './credentials';
import { PayerService } from './payer.service';
import { PaymentBook } from './payment-book';
import { Payment } from './payment.entity';
import { PaymentsController } from './payments.controller';
import { PaymentsService } from './payments.service';
import { ProviderCalls } from './provider-calls';
import { Provider } from './provider.entity';
import { Providers, ProvidersController } from './providers';
import { SessionBook } from './session-book';
import { SessionClosingService } from './session-closing.service';
import { SessionKind, TopUpKind } from './session-kinds';
import { Session } from './session.entity';
import { SessionsController } from './sessions.controller';
import { SessionsService } from './sessions.service';
import { Vouchers } from './vouchers';

/** Paying providers. */
@Module({
  imports: [
    TypeOrmModule.forFeature([Session, Payment, Provider]),
    KeysModule,
    WebhooksModule,
    AccountsModule,
    TransfersModule,
    SweepsModule,
  ],
  controllers: [SessionsController, PaymentsController, ProvidersController],
  providers: [
    SessionsService,
    SessionClosingService,
    SessionBook,
    SessionKind,
    TopUpKind,
    PaymentsService,
    PayerService,
    PaymentBook,
    ChargesService,
    ChargeKind,
    ChargePayments,
    ChargeTurns,
    ProviderCalls,
    Providers,
    Credentials,
    Vouchers,
    OutsideHttp,
  ],
  exports: [SessionsService, ChargesService],
})
export class SessionsModule {}
