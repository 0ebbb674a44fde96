import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { SessionsModule } from '../sessions/sessions.module';
import { TransfersModule } from '../transfers/transfers.module';
import { ReconciliationService } from './reconciliation.service';
import { SweepsModule } from '../jobs/jobs.module';

/** The ledger of all features against the chain. Every process tells what the last comparison found; the worker makes them. */
@Module({ imports: [AccountsModule, TransfersModule, SessionsModule, SweepsModule], providers: [ReconciliationService] })
export class ReconciliationModule {}
