/** What payments offers to the features right of it. */
export { ChargeSettlement } from './methods/charge-settlement';
export { PaymentsModule } from './payments.module';
