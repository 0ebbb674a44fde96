/** Tools, and the common part of several of them. */
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { AgentPayments, RequestOptions } from '#client';
import type { ObjectSchema } from '../api-document';
import type { Decline } from '../results/declines';
import { OUTCOMES, outcomeWithAdvice } from '../results/results';

export interface Call<Args> {
  client: AgentPayments;
  args: Args;
  options: RequestOptions;
}

export type Content = Record<string, unknown>;

/** A tool. `run` gets arguments that its input schema allows, and an idempotency key if that schema has one. */
export interface Tool<Args = never> {
  name: string;
  title: string;
  description: string;
  annotations: ToolAnnotations;
  input: ObjectSchema;
  output: ObjectSchema;
  run(call: Call<Args>): Promise<Content>;
}

/** The argument of every tool that uses an account. */
export interface AccountArgs {
  account_id?: string;
}

export const ACCOUNT = { type: 'string', description: 'The account that pays. Needed only where the key covers several accounts.' };
export const KEY = {
  type: 'string',
  minLength: 1,
  maxLength: 128,
  description:
    'Names this one purchase. After a time-out repeat the call with the same key: it never pays twice. A new key is a new payment. Omitted: one is ' +
    'made, and returned.',
};
export const REPEAT = 'After a time-out or a lost answer, repeat the call with the same idempotency_key: it never pays twice.';
export const FINAL =
  'The outcome "declined" is final: do not try again with another key or another amount to get around it. "needs_change" names the argument to change.';

export const READS: ToolAnnotations = { readOnlyHint: true, idempotentHint: true, destructiveHint: false, openWorldHint: false };
export const SPENDS: ToolAnnotations = { readOnlyHint: false, idempotentHint: true, destructiveHint: true, openWorldHint: true };

/** The arguments by which another call of the kind may be paid. */
const CURES = { transfer: ['memo', 'category'], payment: ['max_amount'], session: ['category'], purse: ['category'] } as const;

/** The result of a tool whose object has a status. */
export function withOutcome(kind: keyof typeof CURES, object: Decline & { status: string }): Content {
  return { ...outcomeWithAdvice(object, CURES[kind]), [kind]: object };
}

/** The schema of such a result: an outcome, and the object or the decline. */
export function outcomeSchema(objects: Record<string, ObjectSchema>, decline?: Content): ObjectSchema {
  return {
    type: 'object',
    properties: {
      outcome: { type: 'string', enum: [...OUTCOMES] },
      next_step: { type: 'string', description: 'What to do about the outcome.' },
      idempotency_key: { type: 'string', description: 'The key of this call. Repeat the call with it.' },
      ...objects,
      ...(decline && { decline }),
    },
    required: ['outcome'],
  };
}
