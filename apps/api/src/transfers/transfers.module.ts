import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts';
import { KeysModule } from '../keys';
import { OrdersModule } from '../orders';
import { TransferHandler } from './transfer.handler';
import { TransfersController } from './transfers.controller';
import { TransfersService } from './transfers.service';

/** Transfers to a token account. */
@Module({
  imports: [KeysModule, AccountsModule, OrdersModule],
  controllers: [TransfersController],
  providers: [TransfersService, TransferHandler],
  exports: [TransfersService],
})
export class TransfersModule {}
