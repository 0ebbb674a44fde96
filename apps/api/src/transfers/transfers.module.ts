import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/accounts.module';
import { KeysModule } from '../keys/keys.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { SweepsModule } from '../jobs/jobs.module';
import { Executions } from '../orders/executions';
import { ForgottenTransfers } from '../orders/backfill';
import { Ledger } from '../orders/order.store';
import { OrderKinds } from '../orders/order-handlers.service';
import { OrdersService } from '../orders/orders.service';
import { Recipients } from '../orders/recipients';
import { RecoveryService } from '../orders/recovery.service';
import { SettlementService } from '../orders/order.processor';
import { TransferKind } from './transfer.handler';
import { TransferAttempt } from '../orders/attempt.entity';
import { Transfer } from '../orders/order.entity';
import { TransfersController } from './transfers.controller';
import { TransfersService } from './transfers.service';

/** Orders to pay. */
@Module({
  imports: [TypeOrmModule.forFeature([Transfer, TransferAttempt]), KeysModule, WebhooksModule, AccountsModule, SweepsModule],
  controllers: [TransfersController],
  providers: [
    TransfersService,
    SettlementService,
    RecoveryService,
    Executions,
    ForgottenTransfers,
    Ledger,
    OrderKinds,
    OrdersService,
    TransferKind,
    Recipients,
  ],
  exports: [OrderKinds, OrdersService],
})
export class TransfersModule {}
