import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import type { ChainSession, SessionOutcome } from '#chain';
import { execute, hydrate, type Row, type Sql, sql } from '#database';
import type { AllowanceList } from '../allowances';
import { OutboxService } from '../events';
import { LedgerService } from '../ledger';
import { referenceMembers, referenceOf } from '../lists/references';
import { formatUsdc } from '../money/usdc';
import type { Landed, SideEffects } from '../orders';
import { Lease } from '../persistence/lease';
import { mergedList, partsBy } from '../persistence/merged-list';
import { enter, leave, runTransition, type Transition } from '../persistence/transition';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';
import { hashOfProvider, lostProvider, Session } from './session.entity';
import { SESSION_STATES, SESSION_TRANSITIONS, type SessionState } from './session.states';

const T = SESSION_TRANSITIONS;

/** A signed voucher. */
export interface IssuedVoucher {
  /** The amount of all vouchers up to this one. */
  cumulativeMicroUsdc: bigint;
  signature: Uint8Array;
}

/** The most sessions that the chain lets an account have open. */
const MAX_OPEN_SESSIONS = 64;

/** The purpose of a session. */
export type SessionPurpose = Pick<Session, 'accountId' | 'provider' | 'payee' | 'category'>;

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
 * The SQL of sessions. Each transition is one statement with its event and its ledger entry. A transition whose guard does not hold
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

  /** @throws Error where the session does not exist. */
  async find(id: string): Promise<Session> {
    const [session] = await execute(this.database, sql`SELECT * FROM sessions WHERE id = ${id}`);
    if (!session) throw new Error(`the session ${id} does not exist`);
    return this.session(session);
  }

  /** The id of the session at an address on chain. */
  async idAt(address: string): Promise<string | undefined> {
    const [row] = await execute(this.database, sql`SELECT id FROM sessions WHERE address = ${address}`);
    return row && String(row.id);
  }

  /** An operator's session. */
  async findOf(operatorId: string, id: string): Promise<Session | undefined> {
    const [row] = await execute(this.database, sql`SELECT * FROM sessions WHERE id = ${id} AND operator_id = ${operatorId}`);
    return row && this.session(row);
  }

  /** The open sessions of an account with a provider, newest first. */
  async openWith(accountId: string, provider: string): Promise<Session[]> {
    const rows = await execute(
      this.database,
      sql`SELECT * FROM sessions WHERE account_id = ${accountId} AND provider = ${provider} AND state = 'open'
          ORDER BY id DESC LIMIT ${MAX_OPEN_SESSIONS}`,
    );
    return rows.map((row) => this.session(row));
  }

  /** The newest session of an account with a provider, for a payee and a category, in any state. */
  async newestFor({ accountId, provider, payee, category }: SessionPurpose): Promise<Session | undefined> {
    const [row] = await execute(
      this.database,
      sql`SELECT * FROM sessions WHERE account_id = ${accountId} AND provider = ${provider} AND payee = ${payee}
            AND category IS NOT DISTINCT FROM ${category} ORDER BY id DESC LIMIT 1`,
    );
    return row && this.session(row);
  }

  /** The encrypted voucher key of a session. */
  async sealedVoucherKey(id: string): Promise<string> {
    const [row] = await execute(this.database, sql`SELECT voucher_key_sealed FROM sessions WHERE id = ${id}`);
    return String(row?.voucher_key_sealed ?? '');
  }

  /** The escrow of each account's open and closing sessions, in micro-USDC. Without any it is missing. */
  async inEscrow(accountIds: string[], manager: EntityManager): Promise<Map<string, bigint>> {
    const sessions = await manager.find(Session, {
      select: { id: true, accountId: true, capMicroUsdc: true },
      where: { accountId: In(accountIds), state: In(['open', 'closing']) },
    });
    const sums = new Map<string, bigint>();
    for (const { accountId, capMicroUsdc } of sessions) sums.set(accountId, (sums.get(accountId) ?? 0n) + capMicroUsdc);
    return sums;
  }

  /** The open and closing sessions of an account, oldest first. */
  async unended(accountId: string): Promise<Session[]> {
    const rows = await execute(
      this.database,
      sql`SELECT * FROM sessions WHERE account_id = ${accountId} AND state IN ('open', 'closing') ORDER BY id`,
    );
    return rows.map((row) => this.session(row));
  }

  /** A page of sessions in some states, newest first. Each has an index. */
  async list({ states, ...list }: AllowanceList<SessionState>): Promise<Session[]> {
    // Accounts have an index of all states too.
    const isMerged = states.length < SESSION_STATES.length || list.accountIds === null;
    const { text, values } = mergedList({ table: 'sessions', ...list, ...(isMerged && { parts: partsBy('state', states) }) });
    const rows: Row[] = await this.database.query(text, values);
    return rows.map((row) => this.session(row));
  }

  /** The session of an account at an address on chain. */
  async findAt(accountId: string, address: string): Promise<Session | undefined> {
    const [row] = await execute(this.database, sql`SELECT * FROM sessions WHERE account_id = ${accountId} AND address = ${address}`);
    return row && this.session(row);
  }

  /** Names the provider of a session that was written from the chain. Harmless where it has its name. */
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

  /** The newest session of an account with a provider that was cut. */
  async cutWith(accountId: string, provider: string): Promise<Session | undefined> {
    const [row] = await execute(
      this.database,
      sql`SELECT * FROM sessions WHERE account_id = ${accountId} AND cut_at IS NOT NULL
          AND provider IN (${provider}, ${lostProvider(hashOfProvider(provider))}) ORDER BY id DESC LIMIT 1`,
    );
    return row && this.session(row);
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
    const data = {
      ...factsOf(session),
      cap_usdc: formatUsdc(session.capMicroUsdc),
      provider: session.provider,
      payee: session.payee,
      tx_signature: signature,
      expires_at: onChain.expiresAt.toISOString(),
      ...referenceMembers(session),
      ...(session.reversedAt !== null && { resettled: true }),
    };
    return {
      event: { ...ownerOf(session), type: 'session.opened', data },
      slot,
      companion: sql`UPDATE sessions SET ${enter(isCut ? T.openCut : T.open, 'state')}, cut_at = ${isCut ? this.clock.now() : null}, address = ${onChain.address}, opened_at = ${onChain.openedAt},
          expires_at = ${onChain.expiresAt}, open_signature = ${signature}, used_at = ${this.clock.now()} FROM moved
          WHERE sessions.id = moved.session_id AND ${leave(T.open, 'sessions.state')}`,
    };
  }

  /** The side effects of an opening that was reversed: the session is ordered again, and only ended where it was to be ended. */
  openingReversed(session: Session): SideEffects {
    const now = this.clock.now();
    return {
      event: this.reversal(session, session.openSignature),
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

  /** Sessions that ended, in the order of their ends. */
  async endedBetween(from: Date, to: Date, limit: number): Promise<Session[]> {
    const rows = await execute(
      this.database,
      sql`SELECT * FROM sessions WHERE state = 'settled' AND closed_at >= ${from} AND closed_at <= ${to} ORDER BY closed_at LIMIT ${limit}`,
    );
    return rows.map((row) => this.session(row));
  }

  /** The end was reversed: the session is closing, and its settlement is no longer in the ledger. */
  reverseEnd(session: Session): Promise<Session | undefined> {
    const set = sql`settled_micro_usdc = 0, returned_micro_usdc = 0, end_signature = NULL, closed_at = NULL, ends_at = NULL,
      reversed_at = ${this.clock.now()}, lease_until = '-infinity'`;
    return this.run(this.update(T.reverseEnd, session.id, set), {
      event: this.reversal(session, session.endSignature),
      companion: this.ledger.removalOfSettlement(),
    });
  }

  private reversal(session: Session, signature: string | null): SideEffects['event'] {
    const data = {
      ...factsOf(session),
      cap_usdc: formatUsdc(session.capMicroUsdc),
      tx_signature: signature ?? '',
      ...referenceMembers(session),
    };
    return { ...ownerOf(session), type: 'session.reversed', data };
  }

  /** The side effects of a landed top-up: a higher cap, which was neither warned of nor reached. */
  toppedUp({ slot }: Landed): SideEffects {
    return {
      slot,
      companion: sql`UPDATE sessions SET cap_micro_usdc = cap_micro_usdc + moved.micro_usdc, cap_warned = false, cap_reached = false
        FROM moved WHERE sessions.id = moved.session_id AND sessions.state <> 'settled'`,
    };
  }

  // Vouchers. These are parts of the statement that changes a payment, whose row is `moved`. Issuing one has no lock before its UPDATE:
  // statements that first lock a row which many wait for, and then update it, deadlock in PostgreSQL.

  /**
   * Stores an issued voucher for the payment that the query `payable` locked, as the query `available`: none unless the session is open,
   * still as it was read, and used by no other payment. No other payment signs until this one has its answer.
   */
  voucherIssued({ id, acceptedMicroUsdc }: Session, { cumulativeMicroUsdc, signature }: IssuedVoucher): Sql {
    const cumulative = sql`${cumulativeMicroUsdc.toString()}::bigint`;
    return sql`available AS (UPDATE sessions
        SET paying_payment_id = payable.id, signed_micro_usdc = GREATEST(signed_micro_usdc, ${cumulative}),
          voucher_micro_usdc = ${cumulative}, voucher_signature = ${Buffer.from(signature)} FROM payable
      WHERE sessions.id = ${id} AND state = 'open' AND paying_payment_id IS NULL
        AND accepted_micro_usdc = ${acceptedMicroUsdc.toString()}::bigint AND cap_micro_usdc >= ${cumulative} RETURNING sessions.id)`;
  }

  /** Locks the session of a payment, as the query `before`. */
  beforeAcceptance(id: string): Sql {
    return sql`before AS (SELECT * FROM sessions WHERE id = ${id} FOR NO KEY UPDATE)`;
  }

  /** The provider accepted a voucher. The events at 80 percent of the cap and at the cap are recorded once a cap. */
  voucherAccepted(session: Pick<Session, 'id' | 'operatorId' | 'accountId'>, cumulativeMicroUsdc: bigint): Sql {
    const cumulative = sql`${cumulativeMicroUsdc.toString()}::bigint`;
    const now = this.clock.now();
    const event = (type: 'session.cap_warning' | 'session.cap_reached'): Sql => {
      const data = {
        session_id: session.id,
        account_id: session.accountId,
        running_total_usdc: formatUsdc(cumulativeMicroUsdc),
        cap_usdc: '',
      };
      const row = JSON.stringify(this.outbox.row({ operatorId: session.operatorId, accountId: session.accountId, type, data }));
      return sql`jsonb_set(${row}::jsonb, '{data,cap_usdc}',
          to_jsonb(trim(to_char(sessions.cap_micro_usdc::numeric / 1000000, 'FM999999999999990.000000'))))`;
    };
    return sql`UPDATE sessions SET accepted_micro_usdc = GREATEST(sessions.accepted_micro_usdc, ${cumulative}), used_at = ${now},
        paying_payment_id = NULLIF(sessions.paying_payment_id, moved.id), unsettled_since = COALESCE(sessions.unsettled_since, ${now}),
        cap_warned = sessions.cap_warned OR ${cumulative} * 100 > sessions.cap_micro_usdc * 80,
        cap_reached = sessions.cap_reached OR ${cumulative} >= sessions.cap_micro_usdc
      FROM moved, before WHERE sessions.id = moved.session_id
      RETURNING record_event(CASE WHEN sessions.cap_warned AND NOT before.cap_warned THEN ${event('session.cap_warning')} END),
        record_event(CASE WHEN sessions.cap_reached AND NOT before.cap_reached THEN ${event('session.cap_reached')} END)`;
  }

  /** The provider refused a voucher: the session's voucher is the one before it. */
  voucherRefused(before: IssuedVoucher): Sql {
    const signature = before.cumulativeMicroUsdc === 0n ? null : Buffer.from(before.signature);
    return sql`UPDATE sessions SET paying_payment_id = NULLIF(sessions.paying_payment_id, moved.id),
      voucher_micro_usdc = ${before.cumulativeMicroUsdc.toString()}::bigint, voucher_signature = ${signature} FROM moved
      WHERE sessions.id = moved.session_id`;
  }

  /** The cap leaves no room for a payment. The event is recorded once a cap. */
  async reachCap(session: Session): Promise<void> {
    const { operatorId, accountId, id } = session;
    const data = {
      ...factsOf(session),
      running_total_usdc: formatUsdc(session.acceptedMicroUsdc),
      cap_usdc: formatUsdc(session.capMicroUsdc),
    };
    await this.run(
      sql`UPDATE sessions SET cap_reached = true WHERE id = ${id} AND NOT cap_reached
          AND cap_micro_usdc = ${session.capMicroUsdc.toString()} AND state = 'open' RETURNING *`,
      { event: { operatorId, accountId, type: 'session.cap_reached', data } },
    );
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
  end(session: Session, { signature, slot, settled, returned }: SessionOutcome): Promise<Session | undefined> {
    const closedAt = this.clock.now();
    const data = {
      ...factsOf(session),
      cap_usdc: formatUsdc(settled + returned),
      settled_usdc: formatUsdc(settled),
      returned_usdc: formatUsdc(returned),
      tx_signature: signature,
      settled_at: closedAt.toISOString(),
      ...referenceMembers(session),
      ...(session.reversedAt !== null && { resettled: true }),
    };
    const set = sql`settled_micro_usdc = ${settled.toString()}, returned_micro_usdc = ${returned.toString()},
      cap_micro_usdc = ${settled.toString()}::bigint + ${returned.toString()}::bigint, end_signature = ${signature},
      closed_at = ${closedAt}, paying_payment_id = NULL, unsettled_since = NULL`;
    return this.run(this.update(T.end, session.id, set), {
      event: { ...ownerOf(session), type: 'session.settled', data },
      entries: [
        {
          accountId: session.accountId,
          type: 'session_settlement',
          direction: 'out',
          microUsdc: settled,
          counterparty: session.payee,
          category: session.category,
          signature,
          sessionId: session.id,
          provider: session.provider,
          ...referenceOf(session),
          settledAt: closedAt,
        },
      ],
      slot,
    });
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

  private async run(change: Sql, { event, entries = [], slot, companion }: SideEffects = {}): Promise<Session | undefined> {
    const row = await runTransition(this.database, change, {
      event: event && this.outbox.row(event),
      entries: this.ledger.rows(entries),
      slot,
      companion,
    });
    return row && this.session(row);
  }

  private session(row: Row): Session {
    return hydrate(this.database, Session, row);
  }
}

function ownerOf({ operatorId, accountId }: Session) {
  return { operatorId, accountId };
}

function factsOf({ id, accountId }: Session) {
  return { session_id: id, account_id: accountId };
}
