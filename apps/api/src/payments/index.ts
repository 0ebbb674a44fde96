/** The public face of payments, for the features right of it. */
export { ChargeSettlement } from './methods/charge/charge-settlement';
export { PurseClosingService } from './methods/purse/purse-closing.service';
export { PaymentListsService } from './lists/payment-lists.service';
export type { Demand } from './provider/demands';
export type { PaymentView } from './lists/payment.views';
export { ListPaymentsQuery } from './payments.dto';
export type { PaymentMethodName, PaymentProtocol } from './payment.entity';
export { PaymentForecasts } from './process/payment-forecasts';
export { PaymentsModule } from './payments.module';
