/** The result of a tool: an outcome that a model can act on, and for a failure what to do about it. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { APIConnectionError, APIError, DeclinedError, InsufficientBalance, RateLimitError, ServiceError } from '#client';

export const OUTCOMES = ['done', 'in_progress', 'pending_approval', 'declined', 'needs_change', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The meaning of the status of a transfer, a payment or a session. A status that this version does not know is not final. */
const OUTCOME_OF: Record<string, Outcome> = {
  settled: 'done',
  closed: 'done',
  paid: 'done',
  paid_unreceipted: 'done',
  free: 'done',
  open: 'done',
  pending_approval: 'pending_approval',
  rejected: 'declined',
  failed: 'failed',
};

const NEXT: Record<Outcome, string | undefined> = {
  done: undefined,
  in_progress: 'The outcome is not known yet. Ask payment_status, or repeat this call with the same idempotency_key. Do not use a new key.',
  pending_approval: 'A person must approve it. Tell the user, and ask payment_status later. Do not send it again.',
  declined: 'This is final. Do not try to get around it. Tell the user which rule declined, with its numbers.',
  needs_change: 'Nothing was paid. The same call with another argument may be paid: see the message of the decline.',
  failed: 'Nothing was paid. The same call with the same idempotency_key tries again.',
};
/** Declines of how a call was to be paid, and the argument with which it may be. The key is taken by the decline. */
const CHANGES: ReadonlyMap<string, string> = new Map([
  [
    'charge_with_listed_recipients',
    'Nothing was paid. This account pays only through sessions: repeat the call with open_session, such as {"cap":"1"}, and a new idempotency_key.',
  ],
  [
    'require_memo',
    'Nothing was paid. Transfers of this account need a memo: repeat the call with memo, such as "invoice 17", and a new idempotency_key.',
  ],
  [
    'max_amount',
    'Nothing was paid. The price is above max_amount. If it is worth that to the user, repeat the call with a higher max_amount and a new idempotency_key.',
  ],
  [
    'session_cap',
    'Nothing was paid. The session has too little left. Repeat the call without session_id, with open_session, such as {"cap":"1"}, and a new idempotency_key.',
  ],
  [
    'purse_expires',
    'Nothing was paid. The purse ends too soon. Open another one with purse_open, and repeat the call with its purse_id and a new idempotency_key.',
  ],
]);
const DEPOSIT_FIRST = 'The account holds too little. Tell the user. After a deposit the same idempotency_key may be used again.';
const SAME_KEY = 'It is not known whether it was executed. Repeat this call with the same idempotency_key: it never pays twice.';
const SAME_CALL = 'Repeat this call later.';
const CORRECT = 'Nothing was executed. Correct the arguments, or tell the user.';

/** An error of the arguments, which the model can correct. */
export class ArgumentError extends Error {
  /** `details`: each wrong argument, as the API names them. */
  constructor(
    message: string,
    readonly details?: { field: string; message: string }[],
  ) {
    super(message);
  }
}

export function outcomeOf(status: string): Outcome {
  return OUTCOME_OF[status] ?? 'in_progress';
}

/** The advice about an outcome, if there is any. */
export function nextStep(outcome: Outcome): { next_step?: string } {
  const next = NEXT[outcome];
  return next === undefined ? {} : { next_step: next };
}

/** The outcome of a decline: no protocol error and no failure of the tool, because the policy did what it is for. */
export function declined(error: DeclinedError): Record<string, unknown> {
  const change = CHANGES.get(String(error.body.rejection_reason));
  if (change !== undefined) return { outcome: 'needs_change' satisfies Outcome, next_step: change, decline: error.body };
  const next = error instanceof InsufficientBalance ? DEPOSIT_FIRST : NEXT.declined;
  return { outcome: 'declined' satisfies Outcome, next_step: next, decline: error.body };
}

/** A result, as structured content and, for clients that know no such content, as the same in JSON. */
export function resultOf(content: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(content) }], structuredContent: content };
}

/** A failure of the tool, which the model sees. `idempotencyKey` is the key that the call was made with. @throws what is no such failure */
export function failureOf(error: unknown, idempotencyKey: string | undefined): CallToolResult {
  const key = idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey };
  return { ...resultOf({ ...descriptionOf(error), ...key, next_step: nextAfter(error, idempotencyKey) }), isError: true };
}

function descriptionOf(error: unknown): Record<string, unknown> {
  if (error instanceof APIError) return error.body.error === undefined ? { error: error.code, message: error.message } : error.body;
  if (error instanceof APIConnectionError) return { error: 'connection_failed', message: error.message };
  if (error instanceof ArgumentError)
    return { error: 'invalid_request', message: error.message, ...(error.details && { details: error.details }) };
  throw error;
}

function nextAfter(error: unknown, idempotencyKey: string | undefined): string {
  const isTransient = error instanceof APIConnectionError || error instanceof ServiceError || error instanceof RateLimitError;
  if (isTransient) return idempotencyKey === undefined ? SAME_CALL : SAME_KEY;
  return CORRECT;
}
