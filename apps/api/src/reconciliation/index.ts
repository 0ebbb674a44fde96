/** The public face of reconciliation, for the features right of it. */
export { ReconciliationModule } from './reconciliation.module';
export { drifting, ReconciliationService } from './reconciliation.service';
