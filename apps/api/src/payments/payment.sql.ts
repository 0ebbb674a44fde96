/** Parts of the statements that change payments. */
import { type Sql, sql } from '#database';
import { leave } from '../persistence/transition';
import type { Payment, SealedAnswer } from './payment.entity';
import { PAYMENT_TRANSITIONS } from './payment.states';

/** Locks a payment before what pays it, as the query `payable`: one order of locks. None if the guard does not hold. */
export function payable(id: string, guard: Sql): Sql {
  return sql`payable AS (SELECT id, micro_usdc FROM payments WHERE id = ${id} AND ${guard} FOR NO KEY UPDATE)`;
}

/** The guard of a reversal: the payment is still paid by the transaction that was looked for. */
export function paidBy({ signature }: Pick<Payment, 'signature'>): Sql {
  return sql`${leave(PAYMENT_TRANSITIONS.reverse)} AND signature = ${signature}`;
}

/** Assigns the columns of a provider's answer. */
export function answerColumns(answer: SealedAnswer | null): Sql {
  return sql`response_status = ${answer?.status ?? null}, response_sealed = ${answer?.sealed ?? null},
    response_bytes = ${answer?.bytes ?? null}, response_truncated = ${answer?.truncated ?? false}, answer_evidence_sealed = ${answer?.evidence ?? null}`;
}
