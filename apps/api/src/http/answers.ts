/** The responses of a route, if its description in docs/openapi.json cannot be derived from its signature. */
import { SetMetadata } from '@nestjs/common';

/** The codes of errors, in the member `error` of their bodies. Each is described in apps/openapi/src/errors.ts. */
export const ERROR_CODES = [
  'invalid_request',
  'unauthorized',
  'policy_violation',
  'account_paused',
  'insufficient_balance',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'idempotency_conflict',
  'conflict',
  'precondition_failed',
  'payload_too_large',
  'unsupported_media_type',
  'invalid_recipient',
  'rate_limited',
  'fee_budget_exceeded',
  'internal_error',
  'provider_unreachable',
  'chain_unavailable',
  'fee_payer_empty',
  'storage_unavailable',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** Headers of responses that only some routes have. */
export type AnswerHeader = 'ETag' | 'Idempotent-Replayed' | 'Payment-Id' | 'Payment-Status';

export interface AnswersOptions {
  /** The statuses of success. Omitted: the one of `HttpCode`, or Nest's default for the method. A dry run always answers 200. */
  statuses?: number[];
  /** The codes beside those that follow from the route: 400, 401, 403, 404 with a path parameter, 413, 415, 500 and storage_unavailable. */
  errors?: ErrorCode[];
  headers?: AnswerHeader[];
  /** Media types of success beside JSON, which the request asks for by `Accept`. */
  contents?: ('text/csv' | 'text/event-stream')[];
}

const ANSWERS = Symbol('answers');

/** Describes the responses of a route. It changes nothing at run time: the end-to-end tests compare the description with the responses. */
export const Answers = (options: AnswersOptions): MethodDecorator => SetMetadata(ANSWERS, options);

/** The description that a handler has. */
export function answersOf(handler: object): AnswersOptions {
  const options: unknown = Reflect.getMetadata(ANSWERS, handler);
  return typeof options === 'object' && options !== null ? options : {};
}

/** Errors of an order: what declines it, and why it may fail. Its account is named in the body, and may be unknown. */
export const ORDER_ERRORS = [
  'not_found',
  'policy_violation',
  'account_paused',
  'insufficient_balance',
  'idempotency_conflict',
  'conflict',
  'invalid_recipient',
  'fee_budget_exceeded',
  'fee_payer_empty',
  'chain_unavailable',
] as const satisfies ErrorCode[];

/** The answers to an opening, and to its approval. */
export const OPENING_ANSWERS: AnswersOptions = { statuses: [201, 202], errors: ORDER_ERRORS, headers: ['Idempotent-Replayed'] };
