/** What payments offers to the features right of it. */
export { ChargeMethod } from './methods/charge';
export { PaymentsModule } from './payments.module';
