import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, type Sql, sql } from '#database';
import type { Order } from '../order.entity';
import { IS_UNRESOLVED, OrderStore } from './order.store';

/** The newest and the oldest unresolved nonce of an account differ by at most this: half of the program's nonce window. */
export const MAX_UNRESOLVED_SPAN = 512;

/** The oldest nonce of an account that may still be used. */
export const oldestUnresolved = (account: Sql): Sql =>
  sql`SELECT min(seq) AS seq FROM orders WHERE account_id = ${account} AND ${IS_UNRESOLVED} AND seq IS NOT NULL`;

/** Allocates the nonces of accounts. */
@Injectable()
export class NonceStore {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly orders: OrderStore,
  ) {}

  /**
   * The order's nonce: the one it has, or the next of its account. Undefined while too many nonces of the account are unresolved, or
   * if the order needs none. Row locks make a nonce unique to an order, and the nonce of an order final.
   */
  async take({ id }: Order): Promise<bigint | undefined> {
    const [taken] = await execute(
      this.database,
      sql`WITH waiting AS (SELECT account_id FROM orders WHERE id = ${id} AND status = 'created' AND seq IS NULL FOR UPDATE),
               oldest AS (${oldestUnresolved(sql`(SELECT account_id FROM waiting)`)}),
               nonce AS (SELECT allocate_nonce(account_id, oldest.seq, ${MAX_UNRESOLVED_SPAN}) AS seq FROM waiting, oldest)
          UPDATE orders SET seq = nonce.seq FROM nonce WHERE orders.id = ${id} AND nonce.seq IS NOT NULL RETURNING orders.seq`,
    );
    if (taken) return BigInt(String(taken.seq));
    const { status, seq } = await this.orders.find(id);
    return status === 'created' && seq !== null ? seq : undefined;
  }

  /** The next nonce of an account, for an order that is not stored with it yet. Undefined while too many nonces are unresolved. */
  async allocate(accountId: string): Promise<bigint | undefined> {
    const [allocated] = await execute(
      this.database,
      sql`WITH oldest AS (${oldestUnresolved(sql`${accountId}`)})
          SELECT allocate_nonce(${accountId}, oldest.seq, ${MAX_UNRESOLVED_SPAN}) AS seq FROM oldest`,
    );
    return allocated?.seq == null ? undefined : BigInt(String(allocated.seq));
  }

  /** Whether a nonce of an account is allocated to an order that may still use it. */
  async hasUnresolved(accountId: string): Promise<boolean> {
    const rows = await execute(
      this.database,
      sql`SELECT 1 FROM orders WHERE account_id = ${accountId} AND ${IS_UNRESOLVED} AND seq IS NOT NULL LIMIT 1`,
    );
    return rows.length > 0;
  }
}
