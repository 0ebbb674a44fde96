import { type Sql, sql } from '#database';

/**
 * Allocates an account's next nonce, `seq`, if a leased one is still usable: below the account's counter, and with the oldest unresolved
 * one (a row `oldest` of the statement) within `span` of it, if a condition holds. Locks the account's row.
 */
export function leaseNext(accountId: string, leased: string, span: number, condition: Sql): Sql {
  return sql`UPDATE accounts SET next_seq = next_seq + 1 FROM oldest
    WHERE id = ${accountId} AND next_seq > ${leased}::bigint AND next_seq - LEAST(oldest.seq, ${leased}::bigint) < ${span}
      AND ${condition}
    RETURNING next_seq - 1 AS seq`;
}
