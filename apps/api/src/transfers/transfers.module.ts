import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/accounts.module';
import { KeysModule } from '../keys/keys.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { SweepsModule } from '../worker/sweeps.module';
import { Executions } from './executions';
import { ForgottenTransfers } from './forgotten-transfers';
import { Ledger } from './ledger';
import { OrderKinds } from './order-kinds.service';
import { OrdersService } from './orders.service';
import { Recipients } from './recipients';
import { RecoveryService } from './recovery.service';
import { SettlementService } from './settlement.service';
import { TransferKind } from './transfer-kind';
import { TransferAttempt } from './transfer-attempt.entity';
import { Transfer } from './transfer.entity';
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
