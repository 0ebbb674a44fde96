import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { execute, firstIdAt, hydrate, newId, runPrepared, type Row, SharedStatements, type Sql, sql, words } from '#database';
import { Clock } from '../runtime/clock';
import { mergedList, type MergedList, partsBy } from '../persistence/merged-list';
import { LEDGER_ENTRY_TYPES, LedgerEntry } from './ledger-entry.entity';
import { afterIdTolerance, monthOf } from './ledger-times';

/** A ledger entry to be written. What is left out is null. */
export type NewLedgerEntry = Pick<LedgerEntry, 'accountId' | 'type' | 'direction' | 'microUsdc'> &
  Partial<Omit<LedgerEntry, 'id' | 'operatorId' | 'createdAt'>>;

/** The filters of a list of entries. */
export interface EntryList extends Pick<MergedList, 'operatorId' | 'accountIds' | 'filters' | 'limit'> {
  types: readonly LedgerEntry['type'][];
  isFiltered: boolean;
}

/** Money that arrived by a transaction that is not an order of this service: a deposit, or what another account of it paid. */
export interface Arrival {
  id: string;
  accountId: string;
  signature: string;
  microUsdc: bigint;
  /** When it was written. */
  settledAt: Date;
}

/** SQL: the sum of ledger entries in micro-USDC. Leave rejections out. */
const NET_MICRO_USDC = `sum(CASE direction WHEN 'in' THEN micro_usdc ELSE -micro_usdc END)`;

/** The ledger: every movement of each account's money, and its declined orders. */
@Injectable()
export class LedgerService {
  /** Accounts that are read at the same time share this statement. */
  private readonly changes: SharedStatements;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
  ) {
    this.changes = new SharedStatements(database);
  }

  /** Entries in the form that the SQL function `record_ledger_entries` takes, for the statement that makes the change they record. */
  rows(entries: NewLedgerEntry[]): object[] {
    const created_at = this.clock.now();
    // A month that has ended does not change: what settled in it and is written later is an entry of the present one.
    const month = monthOf(created_at);
    return entries.map((entry) => ({
      id: newId('txn', created_at),
      account_id: entry.accountId,
      type: entry.type,
      direction: entry.direction,
      micro_usdc: entry.microUsdc.toString(),
      counterparty: entry.counterparty ?? null,
      memo: entry.memo ?? null,
      category: entry.category ?? null,
      signature: entry.signature ?? null,
      order_id: entry.orderId ?? null,
      transfer_id: entry.transferId ?? null,
      payment_id: entry.paymentId ?? null,
      provider: entry.provider ?? null,
      session_id: entry.sessionId ?? null,
      purse_id: entry.purseId ?? null,
      rejection_reason: entry.rejectionReason ?? null,
      reference: entry.reference ?? null,
      metadata: entry.metadata ?? {},
      created_at,
      settled_at: entry.settledAt && entry.settledAt < month ? created_at : (entry.settledAt ?? null),
    }));
  }

  /**
   * The net amount in micro-USDC and the time of settlement of an account's transactions in the ledger, archived months included. Session
   * settlements are left out.
   */
  async changesBy(accountId: string, signatures: string[]): Promise<Map<string, { microUsdc: bigint; settledAt: Date }>> {
    const rows = await this.changes.execute(
      sql`SELECT signature, sum(change) AS change, min(settled_at) AS settled_at FROM (
         SELECT signature, CASE direction WHEN 'in' THEN micro_usdc ELSE -micro_usdc END AS change, settled_at FROM ledger_entries
         WHERE account_id = ${accountId} AND signature = ANY(${signatures}) AND type NOT IN ('rejection', 'session_settlement')
         UNION ALL
         SELECT signature, micro_usdc, settled_at FROM unnest(${signatures}::text[]) AS given (signature)
         JOIN archived_transactions ON key = archived_key(${accountId}, signature) WHERE micro_usdc IS NOT NULL) AS recorded
       GROUP BY signature`,
    );
    return new Map(
      rows.map((row) => [String(row.signature), { microUsdc: BigInt(String(row.change)), settledAt: row.settled_at as Date }]),
    );
  }

  /** The transactions among these that entries up to `entryId` record. None if there is no such entry. */
  async recordedUpTo(accountId: string, entryId: string | null, signatures: string[]): Promise<Set<string>> {
    const rows: { signature: string }[] = await this.database.query(
      'SELECT signature FROM ledger_entries WHERE account_id = $1 AND id <= $2 AND signature = ANY($3)',
      [accountId, entryId, signatures],
    );
    return new Set(rows.map(({ signature }) => signature));
  }

  /** The sum of an account's entries, in micro-USDC. Reads all of them. */
  async net(accountId: string): Promise<bigint> {
    const [row]: { net: string | null }[] = await this.database.query(
      `SELECT ${NET_MICRO_USDC} AS net FROM ledger_entries WHERE account_id = $1 AND type <> 'rejection'`,
      [accountId],
    );
    return BigInt(row?.net ?? 0);
  }

  /**
   * A page of entries of some types, newest first. Each type has an index; `isFiltered` if a filter has an index of all types, so that
   * the type is only one more condition.
   */
  async list({ types, isFiltered, ...list }: EntryList): Promise<LedgerEntry[]> {
    const isOfAll = types.length === LEDGER_ENTRY_TYPES.length;
    // Accounts have an index of all types too.
    const isMerged = !isFiltered && !(isOfAll && list.accountIds !== null);
    const ofTypes = isFiltered && !isOfAll ? [sql`type IN (${words(types)})`] : [];
    const filters = [...ofTypes, ...list.filters];
    const { text, values } = mergedList({
      table: 'ledger_entries',
      ...list,
      filters,
      ...(isMerged && { parts: partsBy('type', types) }),
    });
    const rows: Row[] = await this.database.query(text, values);
    return rows.map((row) => hydrate(this.database, LedgerEntry, row));
  }

  /** The entries of an account that moved money in a span, oldest first, after the entry `after`. At most `limit`. */
  async moved(
    accountId: string,
    { from, to, after, limit }: { from: Date; to: Date; after: string | null; limit: number },
  ): Promise<LedgerEntry[]> {
    const rows = await execute(
      this.database,
      sql`SELECT * FROM ledger_entries
          WHERE account_id = ${accountId} AND id > ${after ?? firstIdAt('txn', from)} AND id < ${firstIdAt('txn', afterIdTolerance(to))}
            AND created_at >= ${from} AND created_at < ${to} AND type <> 'rejection'
          ORDER BY id LIMIT ${limit}`,
    );
    return rows.map((row) => hydrate(this.database, LedgerEntry, row));
  }

  /** The id of the newest entry of each account. An account without entries is missing. */
  async newest(accountIds: string[]): Promise<Map<string, string>> {
    const rows = await runPrepared(
      this.database,
      `SELECT account_id, (SELECT max(entry.id) FROM ledger_entries entry WHERE entry.account_id = given.account_id) AS id
       FROM unnest($1::text[]) AS given (account_id)`,
      [accountIds],
    );
    return new Map(rows.flatMap(({ account_id, id }) => (id === null ? [] : [[String(account_id), String(id)] as const])));
  }

  /** The accounts of the newest entries since a moment, at most of `limit` entries. */
  async accountsSince(since: Date, limit: number): Promise<string[]> {
    const rows = await runPrepared(
      this.database,
      'SELECT DISTINCT account_id FROM (SELECT account_id FROM ledger_entries WHERE id >= $1 ORDER BY id DESC LIMIT $2) AS newest',
      [firstIdAt('txn', since), limit],
    );
    return rows.map(({ account_id }) => String(account_id));
  }

  /** Arrivals in the order in which they were written, from a time to another, both included. */
  async arrivedBetween(from: Date, to: Date, limit: number): Promise<Arrival[]> {
    const rows = await execute(
      this.database,
      sql`SELECT id, account_id, signature, micro_usdc, created_at FROM ledger_entries
          WHERE id >= ${firstIdAt('txn', from)} AND id < ${firstIdAt('txn', afterIdTolerance(to))} AND created_at >= ${from} AND created_at <= ${to}
            AND direction = 'in' AND type IN ('deposit', 'transfer') AND order_id IS NULL AND signature IS NOT NULL
          ORDER BY created_at LIMIT ${limit}`,
    );
    return rows.map((row) => ({
      id: String(row.id),
      accountId: String(row.account_id),
      signature: String(row.signature),
      microUsdc: BigInt(String(row.micro_usdc)),
      settledAt: row.created_at as Date,
    }));
  }

  /** Removes an arrival that was reversed, in the caller's transaction. False if it is not there any more. */
  async removeArrival(manager: EntityManager, accountId: string, id: string): Promise<boolean> {
    const [, removed]: [unknown, number] = await manager.query(`DELETE FROM ledger_entries WHERE account_id = $1 AND id = $2`, [
      accountId,
      id,
    ]);
    return removed > 0;
  }

  /** Writes a deposit, in the caller's transaction. A deposit of the same transaction is written once. */
  async recordDeposit(
    manager: EntityManager,
    deposit: { operatorId: string; accountId: string; microUsdc: bigint; sender: string | null; signature: string | null },
  ): Promise<void> {
    const { operatorId, accountId, microUsdc, sender, signature } = deposit;
    const now = this.clock.now();
    await manager.query(
      `INSERT INTO ledger_entries (id, operator_id, account_id, type, direction, micro_usdc, counterparty, signature, created_at,
          settled_at)
       VALUES ($1, $7, $2, 'deposit', 'in', $3, $4, $5, $6, $6) ON CONFLICT (account_id, signature) WHERE type = 'deposit' DO NOTHING`,
      [newId('txn', now), accountId, microUsdc.toString(), sender, signature, now, operatorId],
    );
  }

  /** Writes what another account of this service paid, in the caller's transaction: a transfer, in. */
  async recordIncoming(
    manager: EntityManager,
    payment: Pick<NewLedgerEntry, 'accountId' | 'microUsdc' | 'counterparty' | 'signature' | 'paymentId' | 'sessionId'>,
  ): Promise<void> {
    const entry = { ...payment, type: 'transfer' as const, direction: 'in' as const, settledAt: this.clock.now() };
    await manager.query('SELECT record_ledger_entries($1)', [JSON.stringify(this.rows([entry]))]);
  }

  /** Removes what an order that was reversed had moved, as a part of its transition, whose row is `moved`. Declines stay. */
  removalOfOrder(): Sql {
    return sql`DELETE FROM ledger_entries USING moved WHERE ledger_entries.order_id = moved.id AND ledger_entries.type <> 'rejection'`;
  }

  /** Removes what a payment that was reversed had moved, as a part of its transition, whose row is `moved`. */
  removalOfPayment(): Sql {
    return sql`DELETE FROM ledger_entries USING moved WHERE ledger_entries.account_id = moved.account_id
      AND ledger_entries.payment_id = moved.id AND ledger_entries.type <> 'rejection'`;
  }

  /** Removes the settlement of a session whose end was reversed, as a part of its transition, whose row is `moved`. */
  removalOfSettlement(): Sql {
    return sql`DELETE FROM ledger_entries USING moved
      WHERE ledger_entries.account_id = moved.account_id AND ledger_entries.session_id = moved.id AND ledger_entries.type = 'session_settlement'`;
  }

  /** The transactions that an account's ledger names. */
  async signatures(accountId: string): Promise<string[]> {
    const rows: { signature: string }[] = await this.database.query(
      'SELECT DISTINCT signature FROM ledger_entries WHERE account_id = $1 AND signature IS NOT NULL',
      [accountId],
    );
    return rows.map(({ signature }) => signature);
  }
}
