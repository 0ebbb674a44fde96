/** What payments offers to the features right of it. */
export { ChargesService } from './methods/charge';
export { PaymentsModule } from './payments.module';
