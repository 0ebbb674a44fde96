import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/accounts.module';
import { KeysModule } from '../keys/keys.module';
import { TransfersModule } from '../transfers/transfers.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { SweepsModule } from '../jobs/jobs.module';
import { OutsideHttp } from '../egress/egress-client';
import { ChargeKind } from '../payments/methods/charge.handler';
import { ChargePayments } from '../payments/methods/charge-payments';
import { ChargeTurns } from '../payments/methods/charge-locks';
import { ChargesService } from '../payments/methods/charge';
import { Credentials } from '../payments/credentials';
import { PayerService } from '../payments/payer.service';
import { PaymentBook } from '../payments/payment.store';
import { Payment } from '../payments/payment.entity';
import { PaymentsController } from '../payments/payments.controller';
import { PaymentsService } from '../payments/payments.service';
import { ProviderCalls } from '../payments/provider-client';
import { Provider } from '../providers/provider.entity';
import { Providers, ProvidersController } from '../providers/providers';
import { SessionBook } from './session.store';
import { SessionClosingService } from './session-closing.service';
import { SessionKind, TopUpKind } from './session.handlers';
import { Session } from './session.entity';
import { SessionsController } from './sessions.controller';
import { SessionsService } from './sessions.service';
import { Vouchers } from '../payments/methods/vouchers';

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
