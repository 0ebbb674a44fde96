import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Batcher } from '#batcher';
import { execute, hydrate, type Sql, sql } from '#database';
import { enter, leave, runTransition } from '../../persistence/transition';
import { Clock } from '../../runtime/clock';
import { Order, type StoredFailure } from '../order.entity';
import { insertion, type SignedOrder } from './order-insertions';
import { attemptOf } from './order.store';
import { ORDER_TRANSITIONS } from '../order.states';

const T = ORDER_TRANSITIONS;
const TAKEN_OVER: StoredFailure = { code: 'conflict', message: 'A charge took its nonce over.' };

/** The SQL of orders whose signed transaction another party has. */
@Injectable()
export class HandedOrderStore {
  /** Every new order asks: those that are placed at once share a statement. */
  private readonly sums: Batcher<{ accountId: string; except: string | null }, bigint>;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
  ) {
    this.sums = new Batcher((asked) => this.sumsOf(asked));
  }

  /** Micro-USDC of the account's direct transfers that may still land, without the order `except`. */
  outstanding(accountId: string, except: string | null): Promise<bigint> {
    return this.sums.add({ accountId, except });
  }

  /** The id of the charge that took over the nonce of a direct transfer; undefined if none did. */
  async followerOf(id: string): Promise<string | undefined> {
    const [row] = await execute(this.database, sql`SELECT id FROM orders WHERE nonce_of = ${id}`);
    return row && String(row.id);
  }

  private async sumsOf(asked: { accountId: string; except: string | null }[]): Promise<bigint[]> {
    const rows = await execute(
      this.database,
      sql`SELECT id, account_id, micro_usdc FROM orders WHERE kind = 'direct_transfer' AND status = 'submitted'
          AND account_id = ANY(${[...new Set(asked.map(({ accountId }) => accountId))]})`,
    );
    return asked.map(({ accountId, except }) =>
      rows
        .filter(({ id, account_id }) => account_id === accountId && id !== except)
        .reduce((sum, { micro_usdc }) => sum + BigInt(String(micro_usdc)), 0n),
    );
  }

  /**
   * Inserts a charge, submitted, under the nonce of a direct transfer, which fails; `held` changes what belongs to the direct transfer, as the
   * query `held` behind `taken`, which has its row. Undefined if the transfer is final, or `held` has no row: then nothing was written.
   */
  async takeOver(
    direct: Order,
    charge: Order,
    { seq, transaction }: SignedOrder,
    { held, condition }: { held: Sql; condition: Sql | undefined },
  ): Promise<Order | undefined> {
    const now = this.clock.now();
    const before = sql`taken AS (UPDATE orders SET ${enter(T.fail)}, failure = ${JSON.stringify(TAKEN_OVER)}, final_at = ${now}
        WHERE id = ${direct.id} AND status = 'submitted' AND ${leave(T.fail)} AND seq = ${seq.toString()} RETURNING id), held AS (${held})`;
    const admitted = condition ? sql`CROSS JOIN LATERAL (SELECT ${condition} OFFSET 0) AS admitted` : sql``;
    const change = sql`${insertion(charge, { seq: seq.toString(), at: now })} FROM held ${admitted} RETURNING *`;
    const row = await runTransition(this.database, change, { before, companion: attemptOf(transaction, now) });
    return row && Object.assign(charge, hydrate(this.database, Order, row));
  }
}
