/** The payment for an offer: the object, and the request header that carries it. */
import { encodeObject, isObject, type JsonObject } from '../json';
import type { PaymentRequired } from './payment-required';
import { X402Error } from '../x402.errors';

/** The request headers of version 2 and version 1. */
export const PAYMENT_SIGNATURE_HEADER = 'payment-signature';
export const X_PAYMENT_HEADER = 'x-payment';

/** The extension that makes sellers answer the same payment again (`payment_identifier`). */
const PAYMENT_IDENTIFIER = 'payment-identifier';
const PAYMENT_ID = /^[A-Za-z0-9_-]{16,128}$/;

/** A payment to send. */
export interface X402Payment {
  /** The request header's name, in lower case: `payment-signature` or `x-payment`. */
  header: string;
  /** Its value. Sending the same value again is the same payment. */
  value: string;
  /** The object in it, as MCP's `_meta["x402/payment"]` carries it. */
  payload: JsonObject;
}

/** Whether the seller keeps its answer for an identical payment, so that a lost answer can be had again. */
export function offersPaymentIdentifier({ extensions }: PaymentRequired): boolean {
  return identifierInfo(extensions) !== undefined;
}

/**
 * Builds the payment. `requirements` is one of `payableRequirements(required, …)` or `uptoRequirements(required, …)`, `content` what its
 * scheme carries: of `exact` the partly signed `transaction` in base64; `paymentId` the id to send if the seller has the extension
 * `payment-identifier`: 16 to 128 characters of A-Z, a-z, 0-9, `_` and `-`, the same for the same payment. Echoes offer, resource and
 * extensions as they came.
 * @throws X402Error `payment_invalid` for another id.
 */
export function buildPayment({
  required,
  requirements,
  content,
  paymentId,
}: {
  required: PaymentRequired;
  requirements: { network: string; object: JsonObject };
  content: JsonObject;
  paymentId: string;
}): X402Payment {
  if (!PAYMENT_ID.test(paymentId))
    throw new X402Error('payment_invalid', 'a payment id has 16 to 128 characters of A-Z, a-z, 0-9, "_" and "-"');
  const { version: x402Version, resource } = required;
  if (x402Version === 1) {
    const payload = { x402Version, scheme: 'exact', network: requirements.network, payload: content };
    return { header: X_PAYMENT_HEADER, value: encodeObject(payload), payload };
  }
  const extensions = withIdentifier(required.extensions, paymentId);
  const payload = {
    x402Version,
    ...(resource && { resource }),
    accepted: requirements.object,
    payload: content,
    ...(extensions && { extensions }),
  };
  return { header: PAYMENT_SIGNATURE_HEADER, value: encodeObject(payload), payload };
}

/** A payer may add to what the seller says of an extension, and may change or leave out nothing. */
function withIdentifier(extensions: JsonObject | undefined, id: string): JsonObject | undefined {
  const info = identifierInfo(extensions);
  if (!extensions || !info) return extensions;
  return { ...extensions, [PAYMENT_IDENTIFIER]: { ...(extensions[PAYMENT_IDENTIFIER] as JsonObject), info: { ...info, id } } };
}

function identifierInfo(extensions: JsonObject | undefined): JsonObject | undefined {
  const extension = extensions?.[PAYMENT_IDENTIFIER];
  if (!isObject(extension) || !isObject(extension.info)) return undefined;
  const { info } = extension;
  return typeof info.required === 'boolean' && info.id === undefined ? info : undefined;
}
