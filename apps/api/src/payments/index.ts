/** The public face of payments, for the features right of it. */
export { ChargeSettlement } from './methods/charge/charge-settlement';
export { PaymentListsService } from './payment-lists.service';
export { ListPaymentsQuery, type PaymentView } from './payments.dto';
export { PaymentsModule } from './payments.module';
