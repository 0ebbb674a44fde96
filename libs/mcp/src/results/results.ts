/** The result of a tool: an outcome that a model can act on, and for a failure what to do about it. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { APIConnectionError, APIError, type DeclinedError, RateLimitError, ServiceError } from '#client';
import { adviceAbout, type Decline, type DeclinedCall } from './declines';

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

const NEXT: Partial<Record<Outcome, string>> = {
  in_progress: 'The outcome is not known yet. Ask payment_status, or repeat this call with the same idempotency_key. Do not use a new key.',
  pending_approval: 'A person must approve it. Tell the user, and ask payment_status later. Do not send it again.',
  failed: 'Nothing was paid. The same call with the same idempotency_key tries again.',
};
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

/** The outcome of an object with a status, and the advice about it, if there is any. `takes`: the arguments that its tool takes. */
export function outcomeWithAdvice(object: Decline & { status: string }, takes: readonly string[]): Record<string, unknown> {
  const outcome = outcomeOf(object.status);
  // The object echoes the arguments with which it was declined. An absent one is null.
  const given = Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
  if (outcome === 'declined') return { ...adviceAbout(object, { args: given, takes: (name) => takes.includes(name) }) };
  const next = NEXT[outcome];
  return { outcome, ...(next !== undefined && { next_step: next }) };
}

/** The result of a decline: no protocol error and no failure of the tool, because the policy did what it is for. */
export function declined({ body }: DeclinedError, call: DeclinedCall): Record<string, unknown> {
  return { ...adviceAbout(body, call), decline: body };
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
