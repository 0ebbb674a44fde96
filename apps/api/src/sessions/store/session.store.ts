import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { ChainSession, SessionOutcome } from '#chain';
import { execute, hydrate, type Row, type Sql, sql } from '#database';
import { OutboxService } from '../../events';
import { LedgerService } from '../../ledger';
import { effectRows, type Landed, type SideEffects } from '../../orders';
import { Lease } from '../../persistence/lease';
import { enter, leave, runTransition, type Transition } from '../../persistence/transition';
import { Clock } from '../../runtime/clock';
import { Config } from '../../runtime/config';
import { hashOfProvider, lostProvider, Session } from '../session.entity';
import { SESSION_TRANSITIONS, type SessionState } from '../session.states';
import { endRecords, openedEvent, reversedEvent } from './session-records';

const T = SESSION_TRANSITIONS;

/** The times that decide which sessions have work due. */
export interface DueTimes {
  /** By the chain's clock. */
  chainNow: Date;
  /** Sessions that were last used before this are ended. */
  idleBefore: Date;
  /** Vouchers unsettled since before this are settled. */
  unsettledBefore: Date;
  /** Sessions that expire before this are settled. By the chain's clock. */
  expiringBefore: Date;
}

/** A session before it is stored. */
export type NewSession = Pick<
  Session,
  | 'id'
  | 'operatorId'
  | 'accountId'
  | 'provider'
  | 'payee'
  | 'category'
  | 'graceSeconds'
  | 'expiresInSeconds'
  | 'voucherKey'
  | 'voucherKeySealed'
  | 'capMicroUsdc'
  | 'createdAt'
  | 'reference'
  | 'metadata'
>;

/**
 * The transitions of sessions. Each is one statement with its event and its ledger entry. A transition whose guard does not hold
 * writes nothing and returns undefined.
 */
@Injectable()
export class SessionStore {
  private readonly lease: Lease;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    config: Config,
    private readonly clock: Clock,
    private readonly outbox: OutboxService,
    private readonly ledger: LedgerService,
  ) {
    this.lease = new Lease(database, clock, { table: 'sessions', durationMs: config.LEASE_MS + config.SETTLEMENT_WAIT_MS });
  }

  /** Names the provider of a session that was written from the chain. Harmless if it has its name. */
  async nameProvider(id: string, provider: string): Promise<void> {
    const hash = lostProvider(hashOfProvider(provider));
    await execute(this.database, sql`UPDATE sessions SET provider = ${provider} WHERE id = ${id} AND provider = ${hash}`);
  }

  /** Cuts the open sessions of an account, or all: nothing more is paid out of them, and they are ended. */
  async cut(accountId: string | null): Promise<void> {
    const scope = accountId === null ? sql`true` : sql`account_id = ${accountId}`;
    await execute(
      this.database,
      sql`UPDATE sessions SET ${enter(T.beginClosing, 'state')}, cut_at = ${this.clock.now()}
          WHERE ${scope} AND ${leave(T.beginClosing, 'state')}`,
    );
  }

  /** Inserts a session with its opening order, whose row is `moved`. */
  insertion(session: NewSession): Sql {
    return sql`INSERT INTO sessions (id, operator_id, account_id, provider, payee, category, grace_seconds, expires_in_seconds,
        voucher_key, voucher_key_sealed, cap_micro_usdc, created_at, reference, metadata)
      SELECT ${session.id}, ${session.operatorId}, ${session.accountId}, ${session.provider}, ${session.payee}, ${session.category},
             ${session.graceSeconds}::integer, ${session.expiresInSeconds}::integer, ${session.voucherKey}, ${session.voucherKeySealed},
             ${session.capMicroUsdc.toString()}::bigint, ${session.createdAt}::timestamptz, ${session.reference},
             ${JSON.stringify(session.metadata)}::jsonb FROM moved`;
  }

  /** The side effects of a landed opening: the session is open; with `isCut` it is only to be ended. */
  opened(
    session: Session,
    { signature, slot }: Landed,
    onChain: Pick<ChainSession, 'address' | 'openedAt' | 'expiresAt'>,
    isCut: boolean,
  ): SideEffects {
    return {
      event: openedEvent(session, signature, onChain.expiresAt),
      slot,
      companion: sql`UPDATE sessions SET ${enter(isCut ? T.openCut : T.open, 'state')}, cut_at = ${isCut ? this.clock.now() : null},
            address = ${onChain.address}, opened_at = ${onChain.openedAt},
          expires_at = ${onChain.expiresAt}, open_signature = ${signature}, used_at = ${this.clock.now()} FROM moved
          WHERE sessions.id = moved.session_id AND ${leave(T.open, 'sessions.state')}`,
    };
  }

  /** The side effects of an opening that was reversed: the session is ordered again, and only ended if it was to be ended. */
  openingReversed(session: Session): SideEffects {
    const now = this.clock.now();
    return {
      event: reversedEvent(session, session.openSignature),
      companion: sql`UPDATE sessions SET ${enter(T.reverseOpening, 'state')}, address = NULL, opened_at = NULL, expires_at = NULL,
          ends_at = NULL, open_signature = NULL, settled_micro_usdc = 0, reversed_at = ${now},
          cut_at = CASE state WHEN 'closing' THEN COALESCE(cut_at, ${now}) ELSE cut_at END
        FROM moved WHERE sessions.id = moved.session_id AND ${leave(T.reverseOpening, 'sessions.state')}`,
    };
  }

  /** The side effects of a top-up that was reversed. */
  topUpReversed(): SideEffects {
    return {
      companion: sql`UPDATE sessions SET cap_micro_usdc = cap_micro_usdc - moved.micro_usdc FROM moved
        WHERE sessions.id = moved.session_id AND sessions.state <> 'settled'`,
    };
  }

  /** The end was reversed: the session is closing, and its settlement is no longer in the ledger. */
  reverseEnd(session: Session): Promise<Session | undefined> {
    const set = sql`settled_micro_usdc = 0, returned_micro_usdc = 0, end_signature = NULL, closed_at = NULL, ends_at = NULL,
      reversed_at = ${this.clock.now()}, lease_until = '-infinity'`;
    return this.run(this.update(T.reverseEnd, session.id, set), {
      event: reversedEvent(session, session.endSignature),
      companion: this.ledger.removalOfSettlement(),
    });
  }

  /** The side effects of a landed top-up: a higher cap, which was neither warned of nor reached. */
  toppedUp({ slot }: Landed): SideEffects {
    return {
      slot,
      companion: sql`UPDATE sessions SET cap_micro_usdc = cap_micro_usdc + moved.micro_usdc, cap_warned = false, cap_reached = false
        FROM moved WHERE sessions.id = moved.session_id AND sessions.state <> 'settled'`,
    };
  }

  /** No payment is authorized from it any more. */
  beginClosing(id: string): Promise<Session | undefined> {
    return this.run(this.update(T.beginClosing, id, sql`lease_until = ${this.lease.end()}`));
  }

  /** Stores what the chain shows after a settlement that did not end the session. */
  noteSettlement({ id }: Session, { settled, endsAt, slot }: SessionOutcome): Promise<Session | undefined> {
    const amount = settled.toString();
    return this.run(
      sql`UPDATE sessions SET settled_micro_usdc = GREATEST(settled_micro_usdc, ${amount}), ends_at = COALESCE(${endsAt}, ends_at),
                 unsettled_since = CASE WHEN voucher_micro_usdc > ${amount} THEN unsettled_since END
          WHERE id = ${id} AND ${leave(T.end, 'state')} RETURNING *`,
      { slot },
    );
  }

  /** The session has ended: what the payee received, and what was refunded. */
  end(session: Session, outcome: SessionOutcome): Promise<Session | undefined> {
    const { signature, slot, settled, returned } = outcome;
    const closedAt = this.clock.now();
    const set = sql`settled_micro_usdc = ${settled.toString()}, returned_micro_usdc = ${returned.toString()},
      cap_micro_usdc = ${settled.toString()}::bigint + ${returned.toString()}::bigint, end_signature = ${signature},
      closed_at = ${closedAt}, paying_payment_id = NULL, unsettled_since = NULL`;
    return this.run(this.update(T.end, session.id, set), { ...endRecords(session, outcome, closedAt), slot });
  }

  /**
   * Claims sessions that are to be settled or ended. A session that used half of its cap since the last settlement is settled,
   * however recent that was.
   */
  async claimDue({ chainNow, idleBefore, unsettledBefore, expiringBefore }: DueTimes, limit: number): Promise<Session[]> {
    const where = sql`state IN ('open', 'closing') AND (
      (state = 'closing' AND (ends_at IS NULL OR ends_at <= ${chainNow}))
      OR (state = 'open' AND (
        expires_at <= ${chainNow}
        OR used_at <= ${idleBefore}
        OR (voucher_micro_usdc > settled_micro_usdc AND (unsettled_since <= ${unsettledBefore} OR expires_at <= ${expiringBefore}
          OR (voucher_micro_usdc - settled_micro_usdc) * 2 >= cap_micro_usdc)))))`;
    return (await this.lease.claim({ where, limit })).map((row) => this.session(row));
  }

  /** Ends the lease of a session now, or in `inMs` milliseconds. */
  release(id: string, inMs = 0): Promise<void> {
    return this.lease.release(id, { inMs });
  }

  private update(transition: Transition<SessionState>, id: string, set: Sql): Sql {
    return sql`UPDATE sessions SET ${enter(transition, 'state')}, ${set} WHERE id = ${id} AND ${leave(transition, 'state')} RETURNING *`;
  }

  private async run(change: Sql, effects: SideEffects = {}): Promise<Session | undefined> {
    const row = await runTransition(this.database, change, effectRows(effects, { outbox: this.outbox, ledger: this.ledger }));
    return row && this.session(row);
  }

  private session(row: Row): Session {
    return hydrate(this.database, Session, row);
  }
}
