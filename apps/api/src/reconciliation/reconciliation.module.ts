import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts';
import { SessionsModule } from '../sessions';
import { LedgerModule } from '../ledger';
import { OrdersModule } from '../orders';
import { PaymentsModule } from '../payments';
import { PursesModule } from '../purses';
import { ReconciliationService } from './reconciliation.service';
import { JobsModule } from '../jobs/jobs.module';

/** The ledger of all features against the chain. Every process tells what the last comparison found; the worker makes them. */
@Module({
  imports: [AccountsModule, LedgerModule, OrdersModule, SessionsModule, PaymentsModule, PursesModule, JobsModule],
  providers: [ReconciliationService],
})
export class ReconciliationModule {}
