/** The seller's answer about a payment. It is not signed and proves nothing by itself: the chain does. */
import { isSignature, noteOf, parseAmount, parseText } from '../fields';
import { decodeObject, parseObject, textOf, type JsonObject } from '../json';
import { X402Error } from '../x402.errors';

/** The response headers of version 2 and version 1. Sellers of version 2 send the older one too, some only that. */
export const PAYMENT_RESPONSE_HEADER = 'payment-response';
export const X_PAYMENT_RESPONSE_HEADER = 'x-payment-response';

export interface PaymentResponse {
  success: boolean;
  /** Signature of the transaction that the seller says it sent; undefined if it names none. */
  transaction: string | undefined;
  network: string | undefined;
  /** The payer, as the seller sees it: the transfer's authority. */
  payer: string | undefined;
  /** Why it failed: a code, such as `invalid_exact_svm_transaction_simulation_failed`. At most 1,000 characters. */
  errorReason: string | undefined;
  /** In base units, if the seller says it. */
  amount: bigint | undefined;
  /** Everything that came. */
  members: JsonObject;
}

const MAX_CHARACTERS = 16_384;
const MAX_TEXT_CHARACTERS = 128;
const MAX_REASON_CHARACTERS = 1_000;

/** A `PAYMENT-RESPONSE` or `X-PAYMENT-RESPONSE` header. @throws X402Error `payment_response_invalid` */
export function parsePaymentResponseHeader(value: string): PaymentResponse {
  if (value.length > MAX_CHARACTERS) return fail(`it has at most ${MAX_CHARACTERS} characters`);
  return readPaymentResponse(decodeObject(value.trim()) ?? fail('it is a JSON object in base64'));
}

/** A `SettlementResponse` object, as MCP's `_meta["x402/payment-response"]` carries it. @throws X402Error `payment_response_invalid` */
export function parsePaymentResponse(value: unknown): PaymentResponse {
  const text = textOf(value) ?? '';
  if (text.length > MAX_CHARACTERS) return fail(`it has at most ${MAX_CHARACTERS} characters`);
  return readPaymentResponse(parseObject(text) ?? fail('it is a JSON object'));
}

function readPaymentResponse(members: JsonObject): PaymentResponse {
  const { success } = members;
  if (typeof success !== 'boolean') return fail('success is true or false');
  // A failed settlement names an empty transaction.
  const transaction = members.transaction === '' ? undefined : optional(members.transaction);
  if (transaction !== undefined && !isSignature(transaction)) return fail('transaction is a signature');
  if (success && transaction === undefined) return fail('a settled payment names its transaction');
  const amount = optional(members.amount);
  return {
    success,
    transaction,
    network: text(members, 'network'),
    payer: text(members, 'payer'),
    errorReason: noteOf(members.errorReason, MAX_REASON_CHARACTERS),
    amount: amount === undefined ? undefined : (parseAmount(amount) ?? fail('amount is a whole number of base units as a text')),
    members,
  };
}

/** A member that is absent, null, empty, or a short text. */
function text(members: JsonObject, name: 'network' | 'payer'): string | undefined {
  const value = optional(members[name]);
  if (value === undefined || value === '') return undefined;
  return parseText(value, MAX_TEXT_CHARACTERS) ?? fail(`${name} is a text of at most ${MAX_TEXT_CHARACTERS} characters`);
}

/** Some libraries write null for what is absent. */
function optional(value: unknown): unknown {
  return value ?? undefined;
}

function fail(message: string): never {
  throw new X402Error('payment_response_invalid', `a PAYMENT-RESPONSE: ${message}`);
}
