import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts';
import { LedgerModule } from '../ledger';
import { OrdersModule } from '../orders';
import { RecordFiles } from './records/record-files';
import { StatementsController } from './statements.controller';
import { StatementsService } from './statements.service';
import { TransactionsController } from './records/transactions.controller';

/** The records of all accounts, files of records, and monthly statements of accounts. */
@Module({
  imports: [AccountsModule, LedgerModule, OrdersModule],
  controllers: [StatementsController, TransactionsController],
  providers: [RecordFiles, StatementsService],
  exports: [RecordFiles, StatementsService],
})
export class StatementsModule {}
