import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { FinishedChannelPurse } from '#chain';
import { execute, hydrate, type Row, type Sql, sql } from '#database';
import { OutboxService } from '../../events';
import { LedgerService } from '../../ledger';
import { Lease } from '../../persistence/lease';
import { enter, leave, runTransition, type TransitionEffects } from '../../persistence/transition';
import { Clock } from '../../runtime/clock';
import { Config } from '../../runtime/config';
import { Purse } from '../purse.entity';
import { PURSE_TRANSITIONS } from '../purse.states';
import { closedEvent, refundedEvent, unexplainedEntry } from './purse-records';

const T = PURSE_TRANSITIONS;
/** Channel purses whose money is not all home or recorded. */
const IS_LEFT = sql`kind = 'channel' AND status <> 'ordered' AND gone_at IS NULL`;

/** The SQL that only channel purses have. */
@Injectable()
export class ChannelPurseStore {
  private readonly lease: Lease;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    config: Config,
    private readonly clock: Clock,
    private readonly outbox: OutboxService,
    private readonly ledger: LedgerService,
  ) {
    this.lease = new Lease(database, clock, { table: 'purses', durationMs: config.LEASE_MS + config.SETTLEMENT_WAIT_MS });
  }

  /** Claims purses that have something left. */
  async claim(limit: number): Promise<Purse[]> {
    return (await this.lease.claim({ where: IS_LEFT, limit })).map((row) => this.purse(row));
  }

  release(id: string, inMs: number): Promise<void> {
    return this.lease.release(id, { inMs });
  }

  /** Micro-USDC of accounts in channel purses: what was neither swept nor recorded. */
  async held(accountIds: string[], manager: EntityManager): Promise<Map<string, bigint>> {
    const rows: { account_id: string; held: string }[] = await manager.query(
      `SELECT account_id, sum(micro_usdc - swept_micro_usdc - recorded_micro_usdc) AS held FROM purses
       WHERE account_id = ANY($1) AND kind = 'channel' AND seq IS NOT NULL AND gone_at IS NULL GROUP BY 1`,
      [accountIds],
    );
    return new Map(rows.map(({ account_id, held }) => [account_id, BigInt(held)]));
  }

  /**
   * Open channel purses of an account that may pay a host, at most `limit`: those whose rest covers an amount first, then those of this host
   * alone, then those that end first.
   */
  async openFor(accountId: string, host: string, { microUsdc, limit }: { microUsdc: bigint; limit: number }): Promise<Purse[]> {
    const rows = await execute(
      this.database,
      sql`SELECT * FROM purses WHERE account_id = ${accountId} AND kind = 'channel' AND status = 'open' AND payment_id IS NULL
            AND (host IS NULL OR host = ${host})
          ORDER BY committed_micro_usdc + ${microUsdc.toString()}::bigint > micro_usdc, host IS NULL, expires_at, id LIMIT ${limit}`,
    );
    return rows.map((row) => this.purse(row));
  }

  /**
   * A channel is over, by the statement whose row is `moved`, which records the `paid` micro-USDC: the rest of its deposit is in the purse
   * again, for other channels.
   */
  paid({ purseId, depositMicroUsdc }: { purseId: string; depositMicroUsdc: bigint }, paid: bigint): Sql {
    return this.recorded(purseId, paid, depositMicroUsdc - paid);
  }

  /** The newest channel purse of an account that was asked for, for a host. */
  async newestFor(accountId: string, host: string): Promise<Purse | undefined> {
    const [row] = await execute(
      this.database,
      sql`SELECT * FROM purses WHERE account_id = ${accountId} AND kind = 'channel' AND payment_id IS NULL AND host = ${host} ORDER BY id DESC LIMIT 1`,
    );
    return row && this.purse(row);
  }

  /** A record of `amount` micro-USDC is written by the statement whose row is `moved`: it is no longer held. `freed`: no longer committed. */
  recorded(purseId: string, amount: bigint, freed = 0n): Sql {
    const added = sql`${amount.toString()}::bigint`;
    return sql`UPDATE purses SET recorded_micro_usdc = recorded_micro_usdc + ${added},
        committed_micro_usdc = committed_micro_usdc - ${freed.toString()}::bigint,
        spent_micro_usdc = LEAST(purses.micro_usdc, spent_micro_usdc + CASE purses.status WHEN 'closed' THEN 0 ELSE ${added} END)
      FROM moved WHERE purses.id = ${purseId}`;
  }

  /** Nothing is reserved for it any more: what did not come home counts as spent. */
  finish(
    purse: Purse,
    { signature, slot, spent }: Pick<FinishedChannelPurse, 'slot' | 'spent'> & { signature: string | null },
  ): Promise<Purse | undefined> {
    const closedAt = this.clock.now();
    const returned = purse.microUsdc - spent;
    return this.run(
      sql`UPDATE purses SET ${enter(T.end)}, spent_micro_usdc = ${spent.toString()}::bigint, returned_micro_usdc = ${returned.toString()}::bigint,
            swept_micro_usdc = GREATEST(swept_micro_usdc, ${returned.toString()}::bigint), end_signature = ${signature}, closed_at = ${closedAt}
          WHERE id = ${purse.id} AND ${leave(T.end)} RETURNING *`,
      { slot, event: purse.paymentId === null ? this.outbox.row(closedEvent(purse, signature, spent)) : undefined },
    );
  }

  /**
   * So much came home in all, lately by a transaction. Of a closed purse less counts as spent then, for the reader: it restores no limit.
   * Undefined if the purse has changed since it was read.
   */
  swept(purse: Purse, microUsdc: bigint, signature: string | null): Promise<Purse | undefined> {
    return this.run(
      sql`UPDATE purses SET swept_micro_usdc = ${microUsdc.toString()}::bigint, ${refunded(microUsdc)}
          WHERE id = ${purse.id} AND swept_micro_usdc = ${purse.sweptMicroUsdc.toString()}::bigint RETURNING *`,
      this.refundOf(purse, microUsdc, signature),
    );
  }

  /** The event of what came home after a purse was closed. */
  private refundOf(purse: Purse, home: bigint, signature: string | null): TransitionEffects {
    const refund = (home < purse.microUsdc ? home : purse.microUsdc) - purse.sweptMicroUsdc;
    if (refund <= 0n || purse.paymentId !== null) return {};
    return { event: this.outbox.row(refundedEvent(purse, signature, refund)), eventWhen: sql`moved.status = 'closed'` };
  }

  /** Its key's token account is closed, after `swept` micro-USDC came home: the rest, which no channel explains, is recorded. */
  gone(purse: Purse, { swept, signature }: { swept: bigint; signature: string | null }): Promise<Purse | undefined> {
    const goneAt = this.clock.now();
    const rest = purse.microUsdc - swept - purse.recordedMicroUsdc;
    return this.run(
      sql`UPDATE purses SET gone_at = ${goneAt}, swept_micro_usdc = ${swept.toString()}::bigint, ${refunded(swept)},
            recorded_micro_usdc = recorded_micro_usdc + GREATEST(0, ${rest.toString()}::bigint)
          WHERE id = ${purse.id} AND status = 'closed' AND gone_at IS NULL
            AND recorded_micro_usdc = ${purse.recordedMicroUsdc.toString()}::bigint
            AND swept_micro_usdc = ${purse.sweptMicroUsdc.toString()}::bigint RETURNING *`,
      {
        ...this.refundOf(purse, swept, signature),
        entries: rest === 0n ? [] : this.ledger.rows([unexplainedEntry(purse, rest, { signature: null, settledAt: goneAt })]),
      },
    );
  }

  private async run(change: Sql, effects: TransitionEffects): Promise<Purse | undefined> {
    const row = await runTransition(this.database, change, effects);
    return row && this.purse(row);
  }

  private purse(row: Row): Purse {
    return hydrate(this.database, Purse, row);
  }
}

/** The amounts that a closed purse returned and spent, if so much came home in all. */
function refunded(home: bigint): Sql {
  const returned = sql`LEAST(micro_usdc, GREATEST(returned_micro_usdc, ${home.toString()}::bigint))`;
  return sql`returned_micro_usdc = CASE status WHEN 'closed' THEN ${returned} ELSE returned_micro_usdc END,
    spent_micro_usdc = CASE status WHEN 'closed' THEN micro_usdc - ${returned} ELSE spent_micro_usdc END`;
}
