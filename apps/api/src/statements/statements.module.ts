import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts';
import { LedgerModule } from '../ledger';
import { OrdersModule } from '../orders';
import { StatementsController } from './statements.controller';
import { StatementsService } from './statements.service';

/** Monthly statements of accounts. */
@Module({
  imports: [AccountsModule, LedgerModule, OrdersModule],
  controllers: [StatementsController],
  providers: [StatementsService],
  exports: [StatementsService],
})
export class StatementsModule {}
