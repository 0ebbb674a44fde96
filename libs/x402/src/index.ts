/** HTTP 402 as x402 has it, versions 1 and 2, for a payer on Solana: what stands in headers and bodies. Pure: no framework, no I/O. */
export type { JsonObject } from './json';
export {
  PAYMENT_REQUIRED_HEADER,
  parsePaymentRequired,
  parsePaymentRequiredBody,
  parsePaymentRequiredHeader,
  type Offer,
  type PaymentRequired,
} from './messages/payment-required';
export { networkNames, payableRequirements, type PaymentFlow, type PaymentRequirements, type PaymentTarget } from './offers/requirements';
export { PAYMENT_SIGNATURE_HEADER, X_PAYMENT_HEADER, buildPayment, offersPaymentIdentifier, type X402Payment } from './messages/payment';
export {
  PAYMENT_RESPONSE_HEADER,
  X_PAYMENT_RESPONSE_HEADER,
  parsePaymentResponse,
  parsePaymentResponseHeader,
  type PaymentResponse,
} from './messages/payment-response';
export { refusalOf, refusalReason, type Refusal, type RefusedAnswer } from './refusal';
export {
  asksBatchSettlement,
  authorizationBytes,
  batchRequirements,
  bindingMemo,
  callContent,
  correctionIn,
  depositContent,
  isAccepted,
  refundContent,
  voucherIn,
  type BatchAuthorization,
  type BatchChannel,
  type BatchCorrection,
  type BatchProof,
  type BatchRequirements,
  type BatchVoucher,
} from './offers/batch-settlement';
export { asksByChannelOnly, type ChannelRequirements } from './offers/channel-offers';
export { asksUpto, uptoContent, uptoRequirements, type UptoChannel, type UptoRequirements } from './offers/upto';
export { X402Error, type X402ErrorCode } from './x402.errors';
export { signedOffers, signedReceipt, type SignedStatement } from './offers/offer-receipt';
