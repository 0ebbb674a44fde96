import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { ChainSession, SessionOutcome } from '#chain';
import { hydrate, runPrepared } from '#database';
import { LedgerService, type NewLedgerEntry } from '../ledger';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';
import { formatUsdc } from '../money/usdc';
import type { Landed, SideEffects } from '../orders';
import { type EventToRecord, OutboxService } from '../events';
import { Session } from './session.entity';

/**
 * Every change of a session: one SQL statement each, with its event and its line of history. A change that finds another state
 * than it expects does nothing and returns undefined.
 */
@Injectable()
export class SessionStore {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly outbox: OutboxService,
    private readonly ledger: LedgerService,
  ) {}

  /** @throws Error where there is none: whoever asks has its id from an order. */
  async find(id: string): Promise<Session> {
    const [session] = await this.select('id = $1', [id]);
    if (!session) throw new Error(`the session ${id} is gone`);
    return session;
  }

  select(condition: string, values: unknown[]): Promise<Session[]> {
    return this.rows(`SELECT * FROM sessions WHERE ${condition}`, values);
  }

  /** SQL that inserts a new session beside its opening order. */
  placing(session: Session): Required<Pick<SideEffects, 'also'>> {
    const values = [
      session.id,
      session.operatorId,
      session.accountId,
      session.provider,
      session.payee,
      session.category,
      session.graceSeconds,
      session.expiresInSeconds,
      session.voucherKey,
      session.voucherKeySealed,
      session.capMicroUsdc.toString(),
      session.createdAt,
    ];
    return {
      also: (parameter) =>
        `INSERT INTO sessions (id, operator_id, account_id, provider, payee, category, grace_seconds, expires_in_seconds, voucher_key, voucher_key_sealed, cap_micro_usdc, created_at)
         SELECT ${values
           .map(parameter)
           .map(
             (place, index) =>
               `${place}${index === 6 || index === 7 ? '::integer' : index === 10 ? '::bigint' : index === 11 ? '::timestamptz' : ''}`,
           )
           .join(', ')} FROM moved RETURNING 1`,
    };
  }

  /** What its opening tells: it is open from now on. */
  opened(session: Session, { signature, slot }: Landed, onChain: Pick<ChainSession, 'address' | 'openedAt' | 'expiresAt'>): SideEffects {
    const data = {
      ...factsOf(session),
      cap_usdc: formatUsdc(session.capMicroUsdc),
      provider: session.provider,
      payee: session.payee,
      tx_signature: signature,
      expires_at: onChain.expiresAt.toISOString(),
    };
    return {
      event: { ...ownerOf(session), type: 'session.opened', data },
      slot,
      also: (parameter) =>
        `UPDATE sessions SET state = 'open', address = ${parameter(onChain.address)}, opened_at = ${parameter(onChain.openedAt)}, expires_at = ${parameter(onChain.expiresAt)}, open_signature = ${parameter(signature)}, used_at = ${parameter(this.clock.now())}
         FROM moved WHERE sessions.id = moved.session_id AND sessions.state = 'ordered' RETURNING 1`,
    };
  }

  /** What a top-up does: a higher cap, of which nothing was warned yet. */
  toppedUp({ slot }: Landed): SideEffects {
    return {
      slot,
      also: () =>
        `UPDATE sessions SET cap_micro_usdc = cap_micro_usdc + moved.micro_usdc, cap_warned = false, cap_reached = false
         FROM moved WHERE sessions.id = moved.session_id AND sessions.state <> 'settled' RETURNING 1`,
    };
  }

  /** Nothing more is promised out of it from now on. */
  beginClosing(id: string): Promise<Session | undefined> {
    return this.change(id, `state = 'closing', lease_until = $2`, `state = 'open'`, [this.lease()]);
  }

  /** What the chain said after a settlement that did not end it. */
  noteSettlement({ id }: Session, { settled, endsAt, slot }: SessionOutcome): Promise<Session | undefined> {
    return this.change(
      id,
      `settled_micro_usdc = GREATEST(settled_micro_usdc, $2), ends_at = COALESCE($3, ends_at), unsettled_since = CASE WHEN voucher_micro_usdc > $2 THEN unsettled_since END`,
      `state IN ('open', 'closing')`,
      [settled.toString(), endsAt],
      { slot },
    );
  }

  /** It is over: what the payee has, and what came back. */
  end(session: Session, { signature, slot, settled, returned }: SessionOutcome): Promise<Session | undefined> {
    const closedAt = this.clock.now();
    const data = {
      ...factsOf(session),
      cap_usdc: formatUsdc(settled + returned),
      settled_usdc: formatUsdc(settled),
      returned_usdc: formatUsdc(returned),
      tx_signature: signature,
      settled_at: closedAt.toISOString(),
    };
    const line: NewLedgerEntry = {
      accountId: session.accountId,
      type: 'session_settlement',
      direction: 'out',
      microUsdc: settled,
      counterparty: session.payee,
      memo: null,
      category: session.category,
      signature,
      transferId: null,
      sessionId: session.id,
      rejectionReason: null,
      settledAt: closedAt,
    };
    return this.change(
      session.id,
      `state = 'settled', settled_micro_usdc = $2, returned_micro_usdc = $3, cap_micro_usdc = $2::bigint + $3::bigint, end_signature = $4, closed_at = $5, paying = NULL, unsettled_since = NULL`,
      `state IN ('open', 'closing')`,
      [settled.toString(), returned.toString(), signature, closedAt],
      { event: { ...ownerOf(session), type: 'session.settled', data }, lines: [line], slot },
    );
  }

  /** Claims sessions of which something is due, each for one worker. */
  claim(condition: string, values: unknown[], limit: number): Promise<Session[]> {
    return this.rows(
      `UPDATE sessions SET lease_until = $1 WHERE id IN (
         SELECT id FROM sessions WHERE state IN ('open', 'closing') AND lease_until <= $2 AND (${condition}) ORDER BY lease_until LIMIT $3 FOR UPDATE SKIP LOCKED) RETURNING *`,
      [this.lease(), this.clock.now(), limit, ...values],
    );
  }

  /** Gives it back: looked at again after so long. */
  async release(id: string, againInMs = 0): Promise<void> {
    await runPrepared(this.database, 'UPDATE sessions SET lease_until = $2 WHERE id = $1', [
      id,
      new Date(this.clock.now().getTime() + againInMs),
    ]);
  }

  private lease(): Date {
    return new Date(this.clock.now().getTime() + this.config.LEASE_MS + this.config.SETTLEMENT_WAIT_MS);
  }

  /** Locks in the order of the ledger's: the session, its account, the counter of its events. */
  private async change(
    id: string,
    set: string,
    when: string,
    values: unknown[],
    { event, lines = [], slot }: { event?: EventToRecord; lines?: NewLedgerEntry[]; slot?: number } = {},
  ): Promise<Session | undefined> {
    const parameters = [
      id,
      ...values,
      slot ?? null,
      event ? JSON.stringify(this.outbox.row(event)) : null,
      JSON.stringify(this.ledger.rows(lines)),
    ];
    const [slotAt, eventAt, linesAt] = [2, 1, 0].map((fromLast) => `$${parameters.length - fromLast}`);
    const [session] = await this.rows(
      `WITH moved AS (UPDATE sessions SET ${set} WHERE id = $1 AND ${when} RETURNING *)
            , seen AS (UPDATE accounts SET changed_slot = ${slotAt}::bigint FROM moved WHERE accounts.id = moved.account_id AND changed_slot < ${slotAt}::bigint RETURNING 1)
       SELECT moved.*, (SELECT count(*) FROM seen), record_event(${eventAt}::jsonb), record_lines(${linesAt}::jsonb) FROM moved`,
      parameters,
    );
    return session;
  }

  private async rows(statement: string, values: unknown[]): Promise<Session[]> {
    return (await runPrepared(this.database, statement, values)).map((row) => hydrate(this.database, Session, row));
  }
}

function ownerOf({ operatorId, accountId }: Session) {
  return { operatorId, accountId };
}

function factsOf({ id, accountId }: Session) {
  return { session_id: id, account_id: accountId };
}
