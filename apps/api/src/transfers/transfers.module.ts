import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts';
import { KeysModule } from '../keys';
import { LedgerModule } from '../ledger';
import { OrdersModule } from '../orders';
import { TransferHandler } from './transfer.handler';
import { TransfersController } from './transfers.controller';
import { SignaturesModule } from '../signatures';
import { TransferApproval } from './transfer-approval.action';
import { TransfersService } from './transfers.service';

/** Transfers to a token account. */
@Module({
  imports: [KeysModule, AccountsModule, LedgerModule, OrdersModule, SignaturesModule],
  controllers: [TransfersController],
  providers: [TransfersService, TransferApproval, TransferHandler],
  exports: [TransfersService],
})
export class TransfersModule {}
