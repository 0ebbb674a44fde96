import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts';
import { EgressClient } from '../egress/egress-client';
import { EventsModule } from '../events';
import { JobsModule } from '../jobs/jobs.module';
import { KeysModule } from '../keys';
import { LedgerModule } from '../ledger';
import { OrdersModule } from '../orders';
import { ProvidersModule } from '../providers';
import { SecretsModule } from '../secrets';
import { SessionsModule } from '../sessions';
import { Credentials } from './credentials';
import { ChargesService } from './methods/charge';
import { ChargeHandler } from './methods/charge.handler';
import { ChargeLocks } from './methods/charge-locks';
import { ChargePayments } from './methods/charge-payments';
import { Vouchers } from './methods/vouchers';
import { PayerService } from './payer.service';
import { Payment } from './payment.entity';
import { PaymentStore } from './payment.store';
import { PaymentsController } from './payments.controller';
import { PaymentsService } from './payments.service';
import { ProviderClient } from './provider-client';

/** Payments to providers that answer HTTP 402. */
@Module({
  imports: [
    TypeOrmModule.forFeature([Payment]),
    SecretsModule,
    KeysModule,
    EventsModule,
    LedgerModule,
    AccountsModule,
    OrdersModule,
    ProvidersModule,
    SessionsModule,
    JobsModule,
  ],
  controllers: [PaymentsController],
  providers: [
    PaymentsService,
    PayerService,
    PaymentStore,
    ChargesService,
    ChargeHandler,
    ChargePayments,
    ChargeLocks,
    ProviderClient,
    Credentials,
    Vouchers,
    EgressClient,
  ],
  exports: [ChargesService],
})
export class PaymentsModule {}
