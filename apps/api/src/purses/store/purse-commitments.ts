/**
 * The amounts of a purse that payments and channels take: parts of the statements that change those. Each has one UPDATE of the purse and no
 * lock before it: statements that first lock a row which many wait for, and then update it, deadlock in PostgreSQL. Pure.
 */
import { type Sql, sql } from '#database';

/**
 * Commits an amount, in micro-USDC, for the payment that the query `payable` locked, as the query `available`: none if the purse is not
 * open or has no room, or the condition does not hold.
 */
export function paymentCommitted(id: string, microUsdc: bigint, condition = sql`true`): Sql {
  return sql`available AS (${committed(id, microUsdc, condition, sql`FROM payable`)} RETURNING purses.id)`;
}

/**
 * The change that commits an amount, in micro-USDC, for a channel, for `runTransition`: none if the purse is not open or has no room, or
 * the condition does not hold.
 */
export function channelCommitted(id: string, microUsdc: bigint, condition = sql`true`): Sql {
  return sql`${committed(id, microUsdc, condition)} RETURNING *`;
}

function committed(id: string, microUsdc: bigint, condition: Sql, from = sql``): Sql {
  const amount = sql`${microUsdc.toString()}::bigint`;
  return sql`UPDATE purses SET committed_micro_usdc = committed_micro_usdc + ${amount} ${from}
      WHERE purses.id = ${id} AND purses.status = 'open' AND committed_micro_usdc + ${amount} <= purses.micro_usdc AND ${condition}`;
}

/** The payment that the query `payable` locked landed, as the query `purse`. A closed purse knows already what it spent. */
export function paymentLanded(id: string): Sql {
  return sql`purse AS (UPDATE purses
      SET spent_micro_usdc = spent_micro_usdc + CASE purses.status WHEN 'closed' THEN 0 ELSE payable.micro_usdc END FROM payable
      WHERE purses.id = ${id} RETURNING purses.id)`;
}

/** The payment that the query `payable` locked is not on the chain any more, as the query `purse`. */
export function paymentReversed(id: string): Sql {
  return sql`purse AS (UPDATE purses
      SET spent_micro_usdc = GREATEST(0, spent_micro_usdc - CASE purses.status WHEN 'closed' THEN 0 ELSE payable.micro_usdc END)
      FROM payable WHERE purses.id = ${id} RETURNING purses.id)`;
}

/** The payment, whose row is `moved`, can no longer land: its amount is free again. */
export function paymentReleased(): Sql {
  return sql`UPDATE purses SET committed_micro_usdc = committed_micro_usdc - moved.micro_usdc FROM moved
      WHERE purses.id = moved.purse_id`;
}
