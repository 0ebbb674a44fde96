/** The provider's offers and receipts of a payment, as far as they are true of it. */
import {
  type JsonObject,
  parsePaymentRequiredHeader,
  parsePaymentResponseHeader,
  type PaymentRequired,
  PAYMENT_REQUIRED_HEADER,
  PAYMENT_RESPONSE_HEADER,
  signedOffers,
  signedReceipt,
  type SignedStatement,
  X402Error,
  X_PAYMENT_RESPONSE_HEADER,
} from '#x402';
import type { Payment } from '../payment.entity';
import type { EvidenceReceiptView } from './evidence.dto';

/** The facts that receipts are compared with. */
export interface Receipted {
  payment: Pick<Payment, 'protocol' | 'provider' | 'receipt' | 'signature' | 'createdAt'>;
  /** The addresses that may have paid: of the account, its keys and its delegates. */
  payers: readonly (string | null)[];
  /** The headers of the 402 and of the answer, by names in lower case. */
  asked: Record<string, string>;
  answered: Record<string, string>;
}

const MS_PER_SECOND = 1000;
const UNSIGNED = 'It is not signed.';

/** In the order in which they came: offers, then receipts. */
export function receiptsOf({ payment, payers, asked, answered }: Receipted): EvidenceReceiptView[] {
  const required = readOrNull(asked[PAYMENT_REQUIRED_HEADER], parsePaymentRequiredHeader);
  const offers = (required ? signedOffers(required) : []).map((offer) =>
    statementView('offer', offer, required && offer.payload && offerDefect(offer.payload, required, payment)),
  );
  const mpp = answered['payment-receipt'] ?? (payment.protocol === 'x402' ? null : payment.receipt);
  const x402 =
    answered[PAYMENT_RESPONSE_HEADER] ??
    answered[X_PAYMENT_RESPONSE_HEADER] ??
    (payment.protocol === 'x402' ? payment.receipt : null) ??
    undefined;
  const response = readOrNull(x402, parsePaymentResponseHeader);
  const receipt = response ? signedReceipt(response) : undefined;
  return [
    ...offers,
    ...(mpp === null ? [] : [unsigned('payment_receipt', mpp)]),
    ...(x402 === undefined ? [] : [unsigned('payment_response', x402)]),
    ...(receipt
      ? [statementView('receipt', receipt, receipt.payload && receiptDefect(receipt.payload, { required, payment, payers }))]
      : []),
  ];
}

function unsigned(kind: EvidenceReceiptView['kind'], raw: string): EvidenceReceiptView {
  return { kind, raw, signer: null, verified: false, reason: UNSIGNED };
}

function statementView(kind: 'offer' | 'receipt', { raw, signer, defect }: SignedStatement, untruth: string | null): EvidenceReceiptView {
  const reason = defect ?? untruth;
  return { kind, raw, signer, verified: reason === null, reason };
}

/** The reason why a signed offer is none of the 402; null if it is. */
function offerDefect(offer: JsonObject, { accepts }: PaymentRequired, { provider, createdAt }: Receipted['payment']): string | null {
  const isAccepted = accepts.some(({ object }) =>
    ['scheme', 'network', 'asset', 'payTo', 'amount'].every((member) => offer[member] !== undefined && object[member] === offer[member]),
  );
  if (!isAccepted) return 'The 402 asks for something else.';
  const { validUntil } = offer;
  if (typeof validUntil === 'number' && validUntil > 0 && validUntil * MS_PER_SECOND < createdAt.getTime())
    return 'It had expired before the payment.';
  return resourceDefect(offer, provider);
}

/** The reason why a signed receipt is not true of the payment; null if it is. */
function receiptDefect(
  { network, payer, transaction, ...receipt }: JsonObject,
  { required, payment, payers }: Pick<Receipted, 'payment' | 'payers'> & { required: PaymentRequired | null },
): string | null {
  if (required && !required.accepts.some((offer) => offer.network === network)) return 'It is for another network.';
  if (typeof payer !== 'string' || !payers.includes(payer)) return 'It names another payer.';
  if (typeof transaction === 'string' && transaction !== '' && transaction !== payment.signature) return 'It names another transaction.';
  return resourceDefect(receipt, payment.provider);
}

function resourceDefect({ resourceUrl }: JsonObject, provider: string): string | null {
  const isOfProvider =
    typeof resourceUrl === 'string' && URL.canParse(resourceUrl, provider) && new URL(resourceUrl, provider).origin === provider;
  return isOfProvider ? null : 'It is for a resource of another origin.';
}

/** Content of a header; null without one, or if it cannot be read. */
function readOrNull<T>(value: string | undefined, read: (value: string) => T): T | null {
  if (value === undefined) return null;
  try {
    return read(value);
  } catch (error) {
    if (error instanceof X402Error) return null;
    throw error;
  }
}
