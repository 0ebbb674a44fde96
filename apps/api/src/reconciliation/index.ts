/** What reconciliation offers to the features right of it. */
export { ReconciliationModule } from './reconciliation.module';
export { drifting, ReconciliationService } from './reconciliation.service';
