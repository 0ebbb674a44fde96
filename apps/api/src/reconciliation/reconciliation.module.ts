import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts';
import { KeyRotationModule } from '../key-rotation';
import { LedgerModule } from '../ledger';
import { OrdersModule } from '../orders';
import { PaymentsModule } from '../payments';
import { PursesModule } from '../purses';
import { FleetsModule } from '../fleets';
import { SecretsModule } from '../secrets';
import { FleetComparison } from './fleet-windows';
import { LedgerComparison } from './ledger-comparison';
import { ReconciliationService } from './reconciliation.service';
import { JobsModule } from '../jobs/jobs.module';

/** Reconciliation of the ledger with the chain. The worker runs it, and every process reports its last result as metrics. */
@Module({
  imports: [
    AccountsModule,
    FleetsModule,
    SecretsModule,
    LedgerModule,
    OrdersModule,
    PaymentsModule,
    PursesModule,
    KeyRotationModule,
    JobsModule,
  ],
  providers: [FleetComparison, LedgerComparison, ReconciliationService],
})
export class ReconciliationModule {}
