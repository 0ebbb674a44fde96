import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import { execute, hydrate, type Row, sql } from '#database';
import type { AllowanceList } from '../../allowances';
import { mergedList, partsBy } from '../../persistence/merged-list';
import { hashOfProvider, lostProvider, Session } from '../session.entity';
import { SESSION_STATES, type SessionState } from '../session.states';

/** The most sessions that the chain lets an account have open. */
const MAX_OPEN_SESSIONS = 64;

/** The purpose of a session. */
export type SessionPurpose = Pick<Session, 'accountId' | 'provider' | 'payee' | 'category'>;

/** The queries of sessions. */
@Injectable()
export class SessionReader {
  constructor(@InjectDataSource() private readonly database: DataSource) {}

  /** @throws Error if the session does not exist. */
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

  /** The newest session of an account with a provider that was cut. */
  async cutWith(accountId: string, provider: string): Promise<Session | undefined> {
    const [row] = await execute(
      this.database,
      sql`SELECT * FROM sessions WHERE account_id = ${accountId} AND cut_at IS NOT NULL
          AND provider IN (${provider}, ${lostProvider(hashOfProvider(provider))}) ORDER BY id DESC LIMIT 1`,
    );
    return row && this.session(row);
  }

  /** Sessions that ended, in the order of their ends. */
  async endedBetween(from: Date, to: Date, limit: number): Promise<Session[]> {
    const rows = await execute(
      this.database,
      sql`SELECT * FROM sessions WHERE state = 'settled' AND closed_at >= ${from} AND closed_at <= ${to} ORDER BY closed_at LIMIT ${limit}`,
    );
    return rows.map((row) => this.session(row));
  }

  private session(row: Row): Session {
    return hydrate(this.database, Session, row);
  }
}
