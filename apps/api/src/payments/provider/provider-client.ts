import { Injectable } from '@nestjs/common';
import { parseReceipt, type Receipt } from '#mpp';
import { PAYMENT_REQUIRED_HEADER, PAYMENT_RESPONSE_HEADER, parsePaymentResponseHeader, X402Error, X_PAYMENT_RESPONSE_HEADER } from '#x402';
import { EgressClient, type EgressResponse } from '../../egress/egress-client';
import { readWhole } from '../../egress/response-body';
import { type AnswerLimits, type KnownProvider, limitsOf } from '../../providers';
import { EncryptionService } from '../../secrets';
import type { Answer, LiveBody, Payment } from '../payment.entity';
import type { ProviderRequestDto } from './provider-request.dto';

/** How much is read of the body of a 402. */
const MAX_DEMAND_BYTES = 1_048_576;

/** The request to a provider, as it is kept with a payment. */
export interface ProviderRequest {
  method: ProviderRequestDto['method'];
  url: string;
  headers: Record<string, string>;
  /** Base64; null if there is none. */
  body: string | null;
}

/** An answer, and what it says about payments. */
export interface ProviderAnswer extends Answer {
  /** The unread body, if the caller wants it as it comes and the provider serves it. Then `body` is empty and `truncated` set. */
  live?: LiveBody;
  challenges: string[];
  /** MPP: the value of Payment-Receipt; null if there is none. */
  receipt: string | null;
  /** x402: the value of PAYMENT-REQUIRED; null if there is none. */
  paymentRequired: string | null;
  /** x402: the value of PAYMENT-RESPONSE, or of X-PAYMENT-RESPONSE; null if there is none. */
  paymentResponse: string | null;
  /** The last path segment of its problem type (RFC 9457), whatever its base; null if there is none. */
  problem: string | null;
}

/** A call of a provider for a payment. */
export interface ProviderCall {
  request: ProviderRequest;
  /** The operator's record of the provider; null if there is none. */
  provider: KnownProvider | null;
  /** Whether the caller wants a served body as it comes. */
  isLive: boolean;
}

/** How an answer is read. */
export interface Reading extends AnswerLimits {
  /** Whether the caller wants a served body as it comes. */
  isLive: boolean;
}

/** Calls providers: with what the caller wants to be sent, and the credential beside it. */
@Injectable()
export class ProviderClient {
  constructor(
    private readonly http: EgressClient,
    private readonly encryption: EncryptionService,
  ) {}

  seal(paymentId: string, request: ProviderRequest): string {
    return this.encryption.seal('payment', paymentId, Buffer.from(JSON.stringify(request)));
  }

  open({ id, requestSealed }: Payment): ProviderRequest {
    if (requestSealed === null) throw new Error(`the request of ${id} is no longer kept`);
    return JSON.parse(this.encryption.unseal('payment', id, requestSealed).toString()) as ProviderRequest;
  }

  /**
   * Reads an answer for as long and as far as `limits` say; a body of 2xx as it comes, if the caller wants that. Over a connection that
   * stands already, if one does: a credential goes right behind the 402 that asked for it. A request that changes something dials first,
   * for what breaks is never sent twice from here unless it only asks.
   * @throws EgressError if there is no answer.
   */
  async call(
    { method, url, headers, body }: ProviderRequest,
    { maxSeconds, maxBytes, isLive }: Reading,
    credential?: { header: string; value: string; idempotencyKey?: string },
  ): Promise<ProviderAnswer> {
    const own = {
      ...(credential?.idempotencyKey === undefined ? headers : { ...withoutKey(headers), 'Idempotency-Key': credential.idempotencyKey }),
      'Accept-Payment': 'solana/session, solana/charge',
      ...(credential && { [credential.header]: credential.value }),
    };
    const onlyAsks = !credential && (method === 'GET' || method === 'HEAD');
    const answer = await this.http.open({
      url,
      method,
      headers: own,
      ...(body !== null && { body: Buffer.from(body, 'base64') }),
      timeoutMs: maxSeconds * 1000,
      // A demand is read whole, however little the operator wants of what is paid for.
      maxBodyBytes: (status) => (status === 402 ? mostBytes({ maxBytes }) : maxBytes),
      connection: credential || onlyAsks ? 'pooled' : 'new',
      repeatable: onlyAsks,
    });
    if (isLive && isServed(answer.status))
      return { ...read({ ...answer, body: Buffer.alloc(0), truncated: true }), live: { body: answer.body, close: answer.close } };
    return read({ ...answer, ...(await readWhole(answer.body)) });
  }
}

/** The memory, in bytes, that an answer of a provider may take. */
export function answerBytes(provider: KnownProvider | null): number {
  return mostBytes(limitsOf(provider));
}

/** How much of an answer is read at most, whether it is a demand or not. */
function mostBytes({ maxBytes }: Pick<AnswerLimits, 'maxBytes'>): number {
  return Math.max(maxBytes, MAX_DEMAND_BYTES);
}

/** Whether the status of an answer says that the provider served the request. */
export function isServed(status: number): boolean {
  return status >= 200 && status < 300;
}

function read({ status, headers, body, truncated }: EgressResponse): ProviderAnswer {
  return {
    status,
    headers: textsOf(headers),
    body,
    truncated,
    challenges: listOf(headers['www-authenticate']),
    receipt: listOf(headers['payment-receipt'])[0] ?? null,
    paymentRequired: listOf(headers[PAYMENT_REQUIRED_HEADER])[0] ?? null,
    paymentResponse: listOf(headers[PAYMENT_RESPONSE_HEADER] ?? headers[X_PAYMENT_RESPONSE_HEADER])[0] ?? null,
    problem: problemOf({ headers, body }),
  };
}

/** The receipt, if it is one for this payment: method and challenge fit, and its reference is the session or the transaction. */
export function receiptFor(payment: Payment, value: string | null, reference: string | null): Receipt | null {
  if (value === null) return null;
  try {
    const receipt = parseReceipt(value);
    const isOfChallenge = receipt.challengeId === undefined || receipt.challengeId === payment.challengeId;
    return receipt.method === 'solana' && isOfChallenge && (reference === null || receipt.reference === reference) ? receipt : null;
  } catch {
    // A text that is no receipt is none.
    return null;
  }
}

/** The PAYMENT-RESPONSE header, if it says that the payment settled. The chain decides whether it did. */
export function settledResponse(value: string | null): string | null {
  if (value === null) return null;
  try {
    return parsePaymentResponseHeader(value).success ? value : null;
  } catch (error) {
    if (error instanceof X402Error) return null;
    throw error;
  }
}

/** The transaction that a PAYMENT-RESPONSE header names, if it says that the payment settled. */
export function settledTransaction(value: string | null): string | null {
  const settled = settledResponse(value);
  return settled === null ? null : (parsePaymentResponseHeader(settled).transaction ?? null);
}

/** Headers of a request without its `Idempotency-Key`. */
function withoutKey(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'idempotency-key'));
}

function textsOf(headers: EgressResponse['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, listOf(value).join(', ')]])),
  );
}

function listOf(value: string | string[] | undefined): string[] {
  return value === undefined ? [] : [value].flat();
}

function problemOf({ headers, body }: Pick<EgressResponse, 'headers' | 'body'>): string | null {
  if (!String(headers['content-type']).includes('json')) return null;
  try {
    const problem: unknown = JSON.parse(body.toString());
    const type = typeof problem === 'object' && problem !== null && 'type' in problem ? problem.type : null;
    return typeof type === 'string' ? (type.split(/[/:]/).at(-1) ?? null) : null;
  } catch {
    return null;
  }
}
