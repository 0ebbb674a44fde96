import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { LAMPORTS_PER_SIGNATURE } from '#chain';
import { execute, sql } from '#database';

/** An order that is still open after this has failed: it waits for an approval, and is then tried again, for hours. */
const MAX_LIFE_MS = 35 * 24 * 60 * 60_000;

/** The fee of an attempt. The first byte of a transaction is the number of its signatures. */
const LAMPORTS = sql`COALESCE(attempt.fee_lamports, get_byte(attempt.bytes, 0) * ${LAMPORTS_PER_SIGNATURE.toString()}::bigint)`;

/** Absent for what has landed in no transaction. */
type Signature = string | null | undefined;

export interface Fees {
  lamports: bigint;
  transactions: number;
}

/** The cost of the transactions of orders, which the fee payer pays. */
@Injectable()
export class OrderFees {
  constructor(@InjectDataSource() private readonly database: DataSource) {}

  /** The fees of the transactions by which the orders of an account landed that settled in a span. Endings have none. */
  async of(accountId: string, { from, to }: { from: Date; to: Date }): Promise<Fees> {
    const oldest = new Date(from.getTime() - MAX_LIFE_MS);
    const [row] = await execute(
      this.database,
      sql`SELECT count(*)::int AS transactions, COALESCE(sum(${LAMPORTS}), 0)::text AS lamports
          FROM orders JOIN order_attempts attempt ON attempt.order_id = orders.id AND attempt.signature = orders.signature
          WHERE orders.account_id = ${accountId} AND orders.created_at >= ${oldest}
            AND orders.settled_at >= ${from} AND orders.settled_at < ${to}`,
    );
    return { lamports: BigInt(String(row?.lamports ?? 0)), transactions: Number(row?.transactions ?? 0) };
  }

  /** The fee in lamports of each of these transactions, by its signature; null for one that this service did not sign. */
  async bySignature(signatures: readonly Signature[]): Promise<(signature: Signature) => string | null> {
    const given = signatures.filter((signature) => typeof signature === 'string');
    if (given.length === 0) return () => null;
    const rows = await execute(
      this.database,
      sql`SELECT signature, (${LAMPORTS})::text AS lamports FROM order_attempts attempt WHERE signature = ANY(${given})`,
    );
    const fees = new Map(rows.map(({ signature, lamports }) => [String(signature), String(lamports)]));
    return (signature) => fees.get(signature ?? '') ?? null;
  }
}
