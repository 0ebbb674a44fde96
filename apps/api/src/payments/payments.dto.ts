import { areTooManyChallenges, MAX_CHALLENGES, parseReceipt } from '#mpp';
import {
  Check,
  IsOmittable,
  IsMoment,
  IsNested,
  IsOneOf,
  IsText,
  IsUsdcAmount,
  IsWholeNumber,
  itself,
  type Defect,
  IsStatusFilter,
} from '../http/checks';
import { MAX_IDEMPOTENCY_KEY } from '../http/headers';
import type { DeclineView, DryRunView } from '../http/dry-run';
import { type Json, type Metadata, ReferencedDto } from '../lists/references';
import { formatUsdc } from '../money/usdc';
import { MAX_URL } from '../egress/url-policy';
import { pageQuery } from '../lists/pages';
import { textOf } from './body-text';
import type { Answer, Payment, PaymentMethodName, PaymentProtocol } from './payment.entity';
import { IsLabelFilter } from '../accounts';

const STATUSES = ['free', 'paid', 'paid_unreceipted', 'rejected', 'unknown', 'failed'] as const;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;
const MAX_ID = 128;
const MAX_HEADERS = 50;
const MAX_HEADER_BYTES = 16_384;
const MAX_CHALLENGE = 65_536;
const MAX_RECEIPT = 16_384;
/** As much as is read of a provider's reason. */
const MAX_REFUSAL = 1_000;
const MIN_SECONDS = 60;
const MAX_SECONDS = 2_592_000;

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/;
/** Visible characters, spaces and tabs, as HTTP has them. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Ours to set, or the connection's. */
const OWN_HEADERS =
  /^(host|content-length|connection|transfer-encoding|upgrade|expect|te|trailer|keep-alive|proxy-.*|payment-.*|x-payment|accept-payment)$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Header fields by name. */
const IsHeaders = (): PropertyDecorator =>
  Check(
    (value) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return [itself('must be an object')];
      const entries = Object.entries(value);
      if (entries.length > MAX_HEADERS) return [itself(`must have at most ${MAX_HEADERS} fields`)];
      if (entries.reduce((sum, [name, text]) => sum + name.length + String(text).length, 0) > MAX_HEADER_BYTES)
        return [itself(`must have at most ${MAX_HEADER_BYTES} characters in all`)];
      const seen = new Set<string>();
      return entries.flatMap(([name, text]): Defect[] => {
        const isTwice = seen.has(name.toLowerCase());
        seen.add(name.toLowerCase());
        if (!HEADER_NAME.test(name)) return [{ at: `.${name}`, message: 'is not the name of a header' }];
        if (isTwice) return [{ at: `.${name}`, message: 'is there twice' }];
        if (OWN_HEADERS.test(name)) return [{ at: `.${name}`, message: 'is set by the service itself' }];
        if (typeof text !== 'string' || !HEADER_VALUE.test(text))
          return [{ at: `.${name}`, message: 'must be a string that a header can carry' }];
        return /^authorization$/i.test(name) && /^\s*payment\b/i.test(text)
          ? [{ at: `.${name}`, message: 'must not be a Payment credential: the service makes it' }]
          : [];
      });
    },
    { type: 'object', maxProperties: MAX_HEADERS, additionalProperties: { type: 'string' } },
  );

export class ProviderRequestDto {
  @IsOneOf(METHODS)
  method: (typeof METHODS)[number];

  /** Of the paid API. */
  @IsText({ min: 1, max: MAX_URL })
  url: string;

  @IsOmittable()
  @IsHeaders()
  headers?: Record<string, string>;

  /** Text, which is sent as it is; or another JSON value, which is sent as JSON with that content type. Bytes go into body_base64. */
  @IsOmittable()
  @Check((_value, object) => bodyDefects(object), {})
  body?: Json;

  @IsOmittable()
  @Check((value, object) => (typeof value === 'string' && BASE64.test(value) ? bodyDefects(object) : [itself('must be base64')]), {
    type: 'string',
    contentEncoding: 'base64',
  })
  body_base64?: string;

  /** Whether the answer of an API that serves the request is passed on as it comes, in place of a payment. Not compared in a replay. */
  @IsOmittable()
  @Check((value) => (typeof value === 'boolean' ? [] : [itself('must be true or false')]), { type: 'boolean' })
  stream?: boolean;
}

function bodyDefects(object: object): Defect[] {
  if ('body' in object && object.body !== undefined && 'body_base64' in object && object.body_base64 !== undefined)
    return [itself('goes into body or into body_base64, not into both')];
  return 'method' in object && (object.method === 'GET' || object.method === 'HEAD') ? [itself('has no place in a GET or HEAD')] : [];
}

export class OpenSessionDto {
  /** USDC, as a decimal string. */
  @IsUsdcAmount()
  cap: string;

  @IsOmittable()
  @IsWholeNumber({ min: MIN_SECONDS, max: MAX_SECONDS })
  expires_in_seconds?: number;
}

export class CreatePaymentDto extends ReferencedDto {
  /** The account that pays, by its id or handle. */
  @IsText({ min: 1, max: MAX_ID })
  account_id: string;

  /** The same key with the same parameters pays once. */
  @IsText({ min: 1, max: MAX_IDEMPOTENCY_KEY })
  idempotency_key: string;

  /** The most that this one call may cost, in USDC. */
  @IsUsdcAmount()
  max_amount: string;

  @IsNested(() => ProviderRequestDto)
  request: ProviderRequestDto;

  /** Out of which it is to be paid. Without one, and without open_session, the call is charged by itself. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_ID })
  session_id?: string;

  /** An open purse out of which it is to be paid, by x402. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_ID })
  @Check((_value, object) => goesWithout(object, ['session_id', 'open_session']), {})
  purse_id?: string;

  /** Opens a session for this and later calls. */
  @IsOmittable()
  @Check((value, object) => (value === undefined ? [] : goesWithout(object, ['session_id'])), {})
  @IsNested(() => OpenSessionDto)
  open_session?: OpenSessionDto;
}

export class AuthorizePaymentDto extends ReferencedDto {
  /** The account that pays, by its id or handle. */
  @IsText({ min: 1, max: MAX_ID })
  account_id: string;

  /** The same key with the same parameters pays once. */
  @IsText({ min: 1, max: MAX_IDEMPOTENCY_KEY })
  idempotency_key: string;

  /** The most that this one call may cost, in USDC. */
  @IsUsdcAmount()
  max_amount: string;

  /** What was called. */
  @IsText({ min: 1, max: MAX_URL })
  url: string;

  /** MPP: the values of the WWW-Authenticate headers that came with the 402. */
  @Check(
    (value, object) => askDefects(value, object),
    { type: 'array', minItems: 1, maxItems: MAX_CHALLENGES, items: { type: 'string', minLength: 1, maxLength: MAX_CHALLENGE } },
    { isOptional: true },
  )
  challenges?: string[];

  /**
   * x402, in place of challenges: the PAYMENT-REQUIRED header, or the PaymentRequired object of a version 1 body or of MCP. Version 1 has no name
   * for a local chain: on one, `solana-devnet` stands for it where the mint is its own.
   */
  @IsOmittable()
  @Check((value) => paymentRequiredDefects(value), {
    oneOf: [
      { type: 'string', minLength: 1, maxLength: MAX_CHALLENGE },
      { type: 'object', additionalProperties: true },
    ],
  })
  payment_required?: string | object;

  /** Out of which it is to be paid. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_ID })
  session_id?: string;

  /** An open purse out of which it is to be paid, by x402. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_ID })
  @Check((_value, object) => goesWithout(object, ['session_id']), {})
  purse_id?: string;

  /**
   * With the same key again: the error with which the provider refused the credential (x402: `errorReason` of the PAYMENT-RESPONSE, or `error` of
   * the new demand). Returns the credential of the next way to pay, if there is one, else the same credential.
   */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_REFUSAL })
  refused?: string;
}

/** Members that exclude the checked one. */
function goesWithout(object: object, members: readonly string[]): Defect[] {
  const values = new Map<string, unknown>(Object.entries(object));
  return members.filter((member) => values.get(member) !== undefined).map((member) => itself(`goes without ${member}`));
}

/** One of the two: challenges, or payment_required. */
function askDefects(value: unknown, object: object): Defect[] {
  const isX402 = 'payment_required' in object && object.payment_required !== undefined;
  if (isX402) return value === undefined ? [] : [itself('goes without payment_required')];
  return challengeDefects(value);
}

function paymentRequiredDefects(value: unknown): Defect[] {
  if (typeof value === 'string' && value.length > 0 && value.length <= MAX_CHALLENGE) return [];
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return [];
  return [itself(`must be an object, or a string of 1 to ${MAX_CHALLENGE} characters`)];
}

function challengeDefects(value: unknown): Defect[] {
  if (!Array.isArray(value) || value.length < 1 || value.length > MAX_CHALLENGES)
    return [itself(`must be a list of 1 to ${MAX_CHALLENGES} texts`)];
  const texts = value.filter((item) => typeof item === 'string');
  if (texts.reduce((sum, text) => sum + text.length, 0) > MAX_CHALLENGE)
    return [itself(`must have at most ${MAX_CHALLENGE} characters in all`)];
  if (areTooManyChallenges(texts)) return [itself(`must have at most ${MAX_CHALLENGES} challenges in all`)];
  return value.flatMap((item, index): Defect[] =>
    typeof item === 'string' && item.length > 0 && item.length <= MAX_CHALLENGE
      ? []
      : [{ at: `[${index}]`, message: `must be a string of 1 to ${MAX_CHALLENGE} characters` }],
  );
}

export class ReceiptDto {
  /** The value of the Payment-Receipt header, or of PAYMENT-RESPONSE. */
  @IsText({ min: 1, max: MAX_RECEIPT })
  receipt: string;
}

/** The query of the payments of one session or purse. */
export class PaymentsPageQuery extends pageQuery({ of: 'pay' }) {}

/** The query of the payments of all accounts. */
export class ListPaymentsQuery extends pageQuery({ of: 'pay' }) {
  @IsOmittable()
  @IsText({ min: 1, max: MAX_ID })
  account_id?: string;

  /** Only those of accounts that are in this fleet now. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_ID })
  fleet_id?: string;

  /** Only those of accounts that have this label. Given several times: all of them. */
  @IsLabelFilter()
  label?: string[];

  @IsOmittable()
  @IsText({ min: 1, max: MAX_ID })
  session_id?: string;

  @IsOmittable()
  @IsText({ min: 1, max: MAX_ID })
  purse_id?: string;

  /** The provider's origin, as payments show it, or its host. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_URL })
  provider?: string;

  @IsOmittable()
  @IsStatusFilter(STATUSES)
  status?: (typeof STATUSES)[number];

  /** Only payments created later than this moment. */
  @IsOmittable()
  @IsMoment()
  since?: string;

  /** Only payments created up to this moment. */
  @IsOmittable()
  @IsMoment()
  until?: string;
}

/** A provider's answer. */
export interface ResponseView {
  status: number;
  headers: Record<string, string>;
  /** The body as text, where its type is a text or JSON and it is valid UTF-8; else null. */
  body: string | null;
  body_base64: string;
  /** The body is longer than what is kept. */
  truncated?: true;
}

/** The request that a payment pays for. */
export interface PaidRequestView {
  /** Null where the agent calls the provider itself. */
  method: string | null;
  /** Without the query. */
  url: string;
}

/** A payment, as the API shows it. What is not known, or no longer kept, is null. */
export interface PaymentView {
  payment_id: string;
  account_id: string;
  status: (typeof STATUSES)[number];
  /** Null for a metered payment whose channel is not over. */
  amount_usdc: string | null;
  category: string | null;
  /** The protocol of the provider's 402; null until the payment is authorized. */
  protocol: PaymentProtocol | null;
  method: PaymentMethodName | null;
  session_id: string | null;
  purse_id: string | null;
  reference: string | null;
  metadata: Metadata;
  provider: string;
  /** What is paid for; null for payments from before it was kept. */
  request: PaidRequestView | null;
  /** MPP: the provider's receipt, decoded. x402: its PAYMENT-RESPONSE header as it came. Neither is signed. */
  receipt: Record<string, unknown> | string | null;
  response: ResponseView | null;
  tx_signature?: string;
  rejection_reason?: string;
  message?: string;
  created_at: string;
  settled_at: string | null;
}

/** One price of a provider's 402. */
export interface QuoteView {
  protocol: PaymentProtocol;
  method: PaymentMethodName;
  /** Of a metered price the maximum. */
  amount_usdc: string;
  /** Whether the seller charges what it used, at most the amount. */
  metered?: true;
  /** The owner of the token account that is paid. */
  payee: string;
  network: string;
  category: string | null;
  expires_at: string | null;
  /** Whether the payment would be made this way. */
  chosen: boolean;
  /** Of a purse that does not pay this: the body of its decline, with its HTTP status. */
  decline?: DeclineView;
}

/** The answer to a dry run of a payment. */
export interface PaymentDryRunView extends DryRunView {
  quotes: QuoteView[];
  /** The HTTP status of a provider that asks for nothing. Absent where it asks for a payment, or is not called. */
  provider_status?: number;
  /** Says that the provider asks for nothing, with its status. */
  message?: string;
}

const UNKNOWN_MESSAGE =
  'The credential is out and its fate is not known yet: poll the payment, or repeat the same request with the same key. It is never paid twice.';

/** What a channel pays is known when it is over. */
function amountOf({ method, status, microUsdc }: Payment): string | null {
  if (method === 'channel' && status === 'unknown') return null;
  return formatUsdc(status === 'free' ? 0n : microUsdc);
}

export function paymentView(payment: Payment, answer: Answer | null): PaymentView {
  const { signature, rejectionReason, violation, failure } = payment;
  const status = payment.status === 'created' ? 'unknown' : payment.status;
  const message = status === 'unknown' ? UNKNOWN_MESSAGE : (violation?.message ?? failure?.message);
  return {
    payment_id: payment.id,
    account_id: payment.accountId,
    status,
    amount_usdc: amountOf(payment),
    category: payment.category,
    protocol: payment.protocol,
    method: payment.method,
    session_id: payment.sessionId,
    purse_id: payment.purseId,
    reference: payment.reference,
    metadata: payment.metadata,
    provider: payment.provider,
    request: payment.requestUrl === null ? null : { method: payment.requestMethod, url: payment.requestUrl },
    receipt: payment.receipt === null || payment.protocol === 'x402' ? payment.receipt : parseReceipt(payment.receipt).members,
    response: answer && {
      status: answer.status,
      headers: answer.headers,
      body: textOf(answer.body, answer.headers['content-type']),
      body_base64: answer.body.toString('base64'),
      ...(answer.truncated && { truncated: true as const }),
    },
    ...(signature !== null && { tx_signature: signature }),
    ...(rejectionReason !== null && { rejection_reason: rejectionReason }),
    ...(message !== undefined && { message }),
    created_at: payment.createdAt.toISOString(),
    settled_at: status === 'unknown' ? null : (payment.finalAt?.toISOString() ?? null),
  };
}
