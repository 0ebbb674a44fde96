/** The seller's demand: the `PAYMENT-REQUIRED` header (v2), the body of the 402 (v1), or the object itself (MCP). */
import { noteOf, parseText } from '../fields';
import { decodeObject, isObject, parseObject, textOf, type JsonObject } from '../json';
import { X402Error } from '../x402.errors';

/** The header of a version 2 response. Names are in lower case, as Node and fetch have them. */
export const PAYMENT_REQUIRED_HEADER = 'payment-required';

/** An offer before its scheme is known. */
export interface Offer {
  scheme: string;
  network: string;
  /** As it came: a payment repeats it. */
  object: JsonObject;
}

/** Parsed and bounded in size. `payableRequirements` says which offers can be paid. */
export interface PaymentRequired {
  version: 1 | 2;
  /** Why the seller asks: that a payment is missing, or why the last one was refused. At most 1,000 characters. */
  error: string | undefined;
  /** In the seller's order; at least one. */
  accepts: Offer[];
  /** As they came; version 2 only. A payment repeats them. */
  resource: JsonObject | undefined;
  extensions: JsonObject | undefined;
}

/** Of a header value, and of a JSON text. Node itself refuses headers of more than 16 KB. */
const MAX_CHARACTERS = 65_536;
const MAX_OFFERS = 100;
const MAX_ERROR_CHARACTERS = 1_000;
const MAX_SCHEME_CHARACTERS = 64;
/** CAIP-2: a namespace of 8, a colon, a reference of 32. */
const MAX_NETWORK_CHARACTERS = 64;

/** The value of the `PAYMENT-REQUIRED` header. @throws X402Error `payment_required_invalid`, `payment_required_too_large`, `unsupported_method` */
export function parsePaymentRequiredHeader(value: string): PaymentRequired {
  checkSize(value, 'the PAYMENT-REQUIRED header');
  const object = decodeObject(value.trim()) ?? fail('the PAYMENT-REQUIRED header is no JSON object in base64');
  const required = readPaymentRequired(object);
  return required.version === 2 ? required : fail('the PAYMENT-REQUIRED header is of version 2, and it says 1');
}

/**
 * The body of a 402 response: null if it is not x402's, such as an HTML page or a problem of MPP. Only version 1 asks in the body.
 * @throws X402Error `payment_required_invalid`, `payment_required_too_large`, `unsupported_method`
 */
export function parsePaymentRequiredBody(body: string): PaymentRequired | null {
  // A large page is not a defect of a seller that asks otherwise.
  if (!/^\s*\{/.test(body) || !body.slice(0, MAX_CHARACTERS).includes('"x402Version"')) return null;
  checkSize(body, 'the body of the 402 response');
  const object = parseObject(body);
  if (object?.x402Version === undefined) return null;
  const required = readPaymentRequired(object);
  if (required.version === 1) return required;
  throw new X402Error('unsupported_method', 'version 2 of x402 asks in the PAYMENT-REQUIRED header, and the response has none');
}

/** A `PaymentRequired` object of either version, as MCP servers answer it. @throws X402Error as the other two */
export function parsePaymentRequired(value: unknown): PaymentRequired {
  const text = textOf(value) ?? fail('PaymentRequired is a JSON object');
  checkSize(text, 'PaymentRequired');
  return readPaymentRequired(parseObject(text) ?? fail('PaymentRequired is a JSON object'));
}

function readPaymentRequired(object: JsonObject): PaymentRequired {
  const { x402Version: version, accepts, error } = object;
  if (typeof version === 'number' && version !== 1 && version !== 2)
    throw new X402Error('unsupported_method', `versions 1 and 2 of x402 are read, and this is ${version}`);
  if (version !== 1 && version !== 2) return fail('x402Version is a number');
  if (!Array.isArray(accepts) || accepts.length === 0 || accepts.length > MAX_OFFERS)
    return fail(`accepts is a list of 1 to ${MAX_OFFERS} offers`);
  const echoed = (name: 'resource' | 'extensions'): JsonObject | undefined => {
    const value = object[name] ?? undefined;
    if (version === 1 || value === undefined) return undefined;
    return isObject(value) ? value : fail(`${name} is an object`);
  };
  return {
    version,
    error: noteOf(error, MAX_ERROR_CHARACTERS),
    accepts: readOffers(accepts),
    resource: echoed('resource'),
    extensions: echoed('extensions'),
  };
}

/** The offers that can be read. The others are passed over, unless there is none. */
function readOffers(accepts: unknown[]): Offer[] {
  const read = accepts.map(readOffer);
  const offers = read.filter((each) => typeof each !== 'string');
  return offers.length > 0 ? offers : fail(read.find((each) => typeof each === 'string') ?? 'accepts has no offer');
}

/** An offer, or what is wrong with it. */
function readOffer(offer: unknown): Offer | string {
  if (!isObject(offer)) return 'each of accepts is an object';
  const scheme = parseText(offer.scheme, MAX_SCHEME_CHARACTERS);
  const network = parseText(offer.network, MAX_NETWORK_CHARACTERS);
  if (scheme === null) return 'each of accepts has a scheme';
  return network === null ? 'each of accepts has a network' : { scheme, network, object: offer };
}

function checkSize(text: string, what: string): void {
  if (text.length > MAX_CHARACTERS)
    throw new X402Error('payment_required_too_large', `${what} has ${text.length} characters, and ${MAX_CHARACTERS} are read`);
}

function fail(message: string): never {
  throw new X402Error('payment_required_invalid', message);
}
