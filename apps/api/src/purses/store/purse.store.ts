import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { ApprovedCharge } from '#chain';
import { execute, hydrate, type Row, type Sql, sql } from '#database';
import type { AllowanceList } from '../../allowances';
import { OutboxService } from '../../events';
import { LedgerService } from '../../ledger';
import { effectRows, type Landed, type SideEffects } from '../../orders';
import { Lease } from '../../persistence/lease';
import { mergedList, partsBy } from '../../persistence/merged-list';
import { enter, leave, runTransition, type Transition } from '../../persistence/transition';
import { Clock } from '../../runtime/clock';
import { Config } from '../../runtime/config';
import { Purse } from '../purse.entity';
import { unlockedByEnd } from './purse-lock.store';
import { endRecords, openedEvent, type PurseEnd, reversedEvent } from './purse-records';
import { PURSE_STATUSES, PURSE_TRANSITIONS, type PurseStatus } from '../purse.states';

const T = PURSE_TRANSITIONS;
/** The purses that an SPL delegate pays out of. */
const ALLOWANCE = sql`kind = 'allowance'`;

/**
 * The SQL of purses. Each transition is one statement with its event and its ledger entries. A transition whose guard does not hold
 * writes nothing and returns undefined.
 */
@Injectable()
export class PurseStore {
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

  /** @throws Error if the purse does not exist. */
  async find(id: string): Promise<Purse> {
    const purse = await this.findIfStored(id);
    if (!purse) throw new Error(`the purse ${id} does not exist`);
    return purse;
  }

  async findIfStored(id: string): Promise<Purse | undefined> {
    const [purse] = await this.read(sql`SELECT * FROM purses WHERE id = ${id}`);
    return purse;
  }

  /** An operator's purse. */
  async findOf(operatorId: string, id: string): Promise<Purse | undefined> {
    const [purse] = await this.read(sql`SELECT * FROM purses WHERE id = ${id} AND operator_id = ${operatorId}`);
    return purse;
  }

  /** The open purse of an account. */
  async openFor(accountId: string): Promise<Purse | undefined> {
    const [purse] = await this.read(
      sql`SELECT * FROM purses WHERE account_id = ${accountId} AND ${ALLOWANCE} AND status = 'open' ORDER BY id DESC LIMIT 1`,
    );
    return purse;
  }

  /** The open and closing purses of an account. */
  unended(accountId: string): Promise<Purse[]> {
    return this.read(
      sql`SELECT * FROM purses WHERE account_id = ${accountId} AND ${ALLOWANCE} AND status IN ('open', 'closing') ORDER BY id`,
    );
  }

  /** A page of purses in some states, newest first. Each has an index. */
  async list({ states, ...list }: AllowanceList<PurseStatus>): Promise<Purse[]> {
    // Accounts have an index of all statuses too.
    const isMerged = states.length < PURSE_STATUSES.length || list.accountIds === null;
    const { text, values } = mergedList({ table: 'purses', ...list, ...(isMerged && { parts: partsBy('status', states) }) });
    const rows: Row[] = await this.database.query(text, values);
    return rows.map((row) => this.purse(row));
  }

  /** Inserts a purse with its opening order, whose row is `moved`. */
  insertion(purse: Purse): Sql {
    return sql`INSERT INTO purses (kind, payment_id, id, operator_id, account_id, category, host, micro_usdc, expires_in_seconds, delegate_key,
        delegate_key_sealed, created_at, reference, metadata)
      SELECT ${purse.kind}, ${purse.paymentId}, ${purse.id}, ${purse.operatorId}, ${purse.accountId}, ${purse.category}, ${purse.host},
             ${purse.microUsdc.toString()}::bigint,
             ${purse.expiresInSeconds}::integer, ${purse.delegateKey}, ${purse.delegateKeySealed}, ${purse.createdAt}::timestamptz,
             ${purse.reference}, ${JSON.stringify(purse.metadata)}::jsonb FROM moved`;
  }

  /** The side effects of a landed opening: the purse is open; with `isCut` it is only to be ended. */
  opened(purse: Purse, { signature, slot }: Landed, { seq, deadline }: ApprovedCharge, isCut: boolean): SideEffects {
    const openedAt = openingOf(purse, deadline);
    return {
      event: openedEvent(purse, signature, deadline),
      slot,
      companion: sql`UPDATE purses SET ${enter(isCut ? T.openCut : T.open)}, cut_at = ${isCut ? this.clock.now() : null},
          seq = ${seq.toString()}::bigint, opened_at = ${openedAt},
          expires_at = ${deadline}, open_signature = ${signature}
        FROM moved WHERE purses.id = moved.id AND ${leave(T.open, 'purses.status')}`,
    };
  }

  /** The side effects of an opening that was reversed: the purse is ordered again, and only ended if it was to be ended. */
  openingReversed(purse: Purse): SideEffects {
    const now = this.clock.now();
    return {
      event: reversedEvent(purse, purse.openSignature),
      companion: sql`UPDATE purses SET ${enter(T.reverseOpening)}, seq = NULL, opened_at = NULL, expires_at = NULL, open_signature = NULL,
          reversed_at = ${now}, cut_at = CASE purses.status WHEN 'closing' THEN COALESCE(cut_at, ${now}) ELSE cut_at END
        FROM moved WHERE purses.id = moved.id AND ${leave(T.reverseOpening, 'purses.status')}`,
    };
  }

  /** Purses that ended, in the order of their ends. */
  endedBetween(from: Date, to: Date, limit: number): Promise<Purse[]> {
    return this.read(
      sql`SELECT * FROM purses WHERE ${ALLOWANCE} AND status = 'closed' AND closed_at >= ${from} AND closed_at <= ${to}
          ORDER BY closed_at LIMIT ${limit}`,
    );
  }

  /** The end was reversed: the purse is closing. The amounts that its delegate moved stay in the ledger. */
  reverseEnd(purse: Purse): Promise<Purse | undefined> {
    const set = sql`returned_micro_usdc = 0, end_signature = NULL, closed_at = NULL, reversed_at = ${this.clock.now()}, lease_until = '-infinity'`;
    return this.run(this.update(T.reverseEnd, purse.id, set), { event: reversedEvent(purse, purse.endSignature) });
  }

  /** The side effects of a purse that a restored database has lost: it is inserted as closed, with what it spent recorded. */
  backfilled(purse: Purse, { signature, slot }: Landed, { seq, deadline }: ApprovedCharge, end: PurseEnd): SideEffects {
    const closedAt = this.clock.now();
    return {
      ...endRecords(purse, end, closedAt),
      slot,
      companion: sql`INSERT INTO purses (kind, swept_micro_usdc, recorded_micro_usdc, id, operator_id, account_id, category,
               micro_usdc, spent_micro_usdc, returned_micro_usdc,
               expires_in_seconds, delegate_key, status, seq, open_signature, end_signature, created_at, opened_at, expires_at, closed_at, cut_at)
        SELECT ${purse.kind}, ${purse.sweptMicroUsdc.toString()}::bigint, ${purse.recordedMicroUsdc.toString()}::bigint, ${purse.id},
               ${purse.operatorId}, ${purse.accountId}, ${purse.category}, ${purse.microUsdc.toString()}::bigint,
               ${end.spent.toString()}::bigint, ${(purse.microUsdc - end.spent).toString()}::bigint, ${purse.expiresInSeconds}::integer,
               ${purse.delegateKey}, 'closed', ${seq.toString()}::bigint, ${signature}, ${end.finished.signature},
               ${purse.createdAt}::timestamptz, ${openingOf(purse, deadline)}::timestamptz, ${deadline}::timestamptz,
               ${closedAt}::timestamptz, ${closedAt}::timestamptz
        FROM moved`,
    };
  }

  /** The open channel purses of an account are to be ended by their job, at once. */
  async beginClosingChannels(accountId: string): Promise<void> {
    await execute(
      this.database,
      sql`UPDATE purses SET ${enter(T.beginClosing)}, lease_until = '-infinity'
          WHERE account_id = ${accountId} AND kind = 'channel' AND ${leave(T.beginClosing)}`,
    );
  }

  /** Cuts the open purses of an account, or all: nothing more is paid out of them, and they are ended. */
  async cut(accountId: string | null): Promise<void> {
    const scope = accountId === null ? sql`true` : sql`account_id = ${accountId}`;
    await execute(
      this.database,
      sql`UPDATE purses SET ${enter(T.beginClosing)}, cut_at = ${this.clock.now()} WHERE ${scope} AND ${leave(T.beginClosing)}`,
    );
  }

  /** The newest purse of an account that was cut and paid a host, or any. */
  async cutFor(accountId: string, host: string): Promise<Purse | undefined> {
    const [purse] = await this.read(
      sql`SELECT * FROM purses WHERE account_id = ${accountId} AND payment_id IS NULL AND cut_at IS NOT NULL
            AND (host IS NULL OR host = ${host}) ORDER BY id DESC LIMIT 1`,
    );
    return purse;
  }

  /** Sets the host of a purse that was written from the chain, which does not show it. */
  async nameHost(id: string, host: string | null): Promise<void> {
    await execute(this.database, sql`UPDATE purses SET host = ${host} WHERE id = ${id} AND delegate_key_sealed IS NULL`);
  }

  /** How many purses of either kind are open of each of these accounts that has one. */
  async openCounts(accountIds: string[]): Promise<Map<string, number>> {
    const rows = await execute(
      this.database,
      sql`SELECT account_id, count(*) AS purses FROM purses WHERE account_id = ANY(${accountIds}) AND status = 'open' GROUP BY 1 ORDER BY 1`,
    );
    return new Map(rows.map(({ account_id, purses }) => [String(account_id), Number(purses)]));
  }

  /** The accounts among these with a purse that was open after a time. Its delegate may move money that the ledger has later. */
  async openSince(accountIds: string[], since: Date): Promise<Set<string>> {
    const rows = await execute(
      this.database,
      sql`SELECT account_id FROM purses WHERE account_id = ANY(${accountIds})
            AND (status IN ('open', 'closing') AND expires_at > ${since} OR kind = 'channel' AND status <> 'ordered' AND gone_at IS NULL)`,
    );
    return new Set(rows.map(({ account_id }) => String(account_id)));
  }

  /** No payment is authorized from it any more. */
  beginClosing(id: string): Promise<Purse | undefined> {
    return this.run(this.update(T.beginClosing, id, sql`lease_until = ${this.lease.end()}`));
  }

  /** The purse has ended. Unlocks the account, and records what no payment explains. */
  end(purse: Purse, end: PurseEnd): Promise<Purse | undefined> {
    const closedAt = this.clock.now();
    const set = sql`spent_micro_usdc = ${end.spent.toString()}::bigint, returned_micro_usdc = micro_usdc - ${end.spent.toString()}::bigint,
      end_signature = ${end.finished.signature}, closed_at = ${closedAt}`;
    return this.run(this.update(T.end, purse.id, set), {
      ...endRecords(purse, end, closedAt),
      slot: end.finished.slot,
      companion: unlockedByEnd(),
    });
  }

  /** Claims purses that are to be ended: closing, expired by the chain's clock, or used up. */
  async claimDue(chainNow: Date, limit: number): Promise<Purse[]> {
    const where = sql`${ALLOWANCE} AND status IN ('open', 'closing') AND
      (status = 'closing' OR expires_at <= ${chainNow} OR spent_micro_usdc >= micro_usdc)`;
    return (await this.lease.claim({ where, limit })).map((row) => this.purse(row));
  }

  /** Claims open purses, to look whether the chain still has them open. */
  async claimOpen(limit: number): Promise<Purse[]> {
    return (await this.lease.claim({ where: sql`${ALLOWANCE} AND status = 'open'`, limit })).map((row) => this.purse(row));
  }

  /** Ends the lease of a purse now, or in `inMs` milliseconds. */
  release(id: string, inMs = 0): Promise<void> {
    return this.lease.release(id, { inMs });
  }

  private update(transition: Transition<PurseStatus>, id: string, set: Sql): Sql {
    return sql`UPDATE purses SET ${enter(transition)}, ${set} WHERE id = ${id} AND ${leave(transition)} RETURNING *`;
  }

  private async run(change: Sql, effects: SideEffects = {}): Promise<Purse | undefined> {
    const row = await runTransition(this.database, change, effectRows(effects, { outbox: this.outbox, ledger: this.ledger }));
    return row && this.purse(row);
  }

  /** The purses that a statement returns. */
  private async read(statement: Sql): Promise<Purse[]> {
    return (await execute(this.database, statement)).map((row) => this.purse(row));
  }

  private purse(row: Row): Purse {
    return hydrate(this.database, Purse, row);
  }
}

function openingOf({ expiresInSeconds }: Purse, deadline: Date): Date {
  return new Date(deadline.getTime() - expiresInSeconds * 1000);
}
