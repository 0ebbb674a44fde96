import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { firstIdAt, hydrate, newId, type Row, sql, words } from '#database';
import { Clock } from '../runtime/clock';
import { mergedList, type MergedList, partsBy } from '../persistence/merged-list';
import { LEDGER_ENTRY_TYPES, LedgerEntry } from './ledger-entry.entity';

/** A ledger entry to be written. What is left out is null. */
export type NewLedgerEntry = Pick<LedgerEntry, 'accountId' | 'type' | 'direction' | 'microUsdc'> &
  Partial<Omit<LedgerEntry, 'id' | 'operatorId' | 'createdAt'>>;

/** Which entries are listed. */
export interface EntryList extends Pick<MergedList, 'operatorId' | 'accountIds' | 'filters' | 'limit'> {
  types: readonly LedgerEntry['type'][];
  isFiltered: boolean;
}

/** SQL: the sum of ledger entries in micro-USDC. Leave rejections out. */
const NET_MICRO_USDC = `sum(CASE direction WHEN 'in' THEN micro_usdc ELSE -micro_usdc END)`;

/** The ledger: every movement of each account's money, and its declined orders. */
@Injectable()
export class LedgerService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Entries in the form that the SQL function `record_ledger_entries` takes, for the statement that makes the change they record. */
  rows(entries: NewLedgerEntry[]): object[] {
    const created_at = this.clock.now();
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
      rejection_reason: entry.rejectionReason ?? null,
      reference: entry.reference ?? null,
      metadata: entry.metadata ?? {},
      created_at,
      settled_at: entry.settledAt ?? null,
    }));
  }

  /**
   * The net amount in micro-USDC and the time of settlement of an account's transactions in the ledger. Session settlements are left out.
   */
  async changesBy(accountId: string, signatures: string[]): Promise<Map<string, { microUsdc: bigint; settledAt: Date }>> {
    const rows: { signature: string; change: string; settled_at: Date }[] = await this.database.query(
      `SELECT signature, ${NET_MICRO_USDC} AS change, min(settled_at) AS settled_at FROM ledger_entries
       WHERE account_id = $1 AND signature = ANY($2) AND type NOT IN ('rejection', 'session_settlement') GROUP BY signature`,
      [accountId, signatures],
    );
    return new Map(rows.map(({ signature, change, settled_at }) => [signature, { microUsdc: BigInt(change), settledAt: settled_at }]));
  }

  /**
   * A page of entries of some types, newest first. Each type has an index; `isFiltered` where a filter has an index of all types, so that
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

  /** The id of the newest entry of each account. An account without entries is missing. */
  async newest(accountIds: string[]): Promise<Map<string, string>> {
    const rows: { account_id: string; id: string | null }[] = await this.database.query(
      `SELECT account_id, (SELECT max(entry.id) FROM ledger_entries entry WHERE entry.account_id = given.account_id) AS id
       FROM unnest($1::text[]) AS given (account_id)`,
      [accountIds],
    );
    return new Map(rows.flatMap(({ account_id, id }) => (id === null ? [] : [[account_id, id] as const])));
  }

  /** The accounts of the newest entries since a moment, at most of `limit` entries. */
  async accountsSince(since: Date, limit: number): Promise<string[]> {
    const rows: { account_id: string }[] = await this.database.query(
      'SELECT DISTINCT account_id FROM (SELECT account_id FROM ledger_entries WHERE id >= $1 ORDER BY id DESC LIMIT $2) AS newest',
      [firstIdAt('txn', since), limit],
    );
    return rows.map(({ account_id }) => account_id);
  }

  /** Writes a deposit, in the caller's transaction. A deposit of the same transaction is written once. */
  async recordDeposit(
    manager: EntityManager,
    deposit: { operatorId: string; accountId: string; microUsdc: bigint; sender: string | null; signature: string },
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

  /** The transactions that an account's ledger names. */
  async signatures(accountId: string): Promise<string[]> {
    const rows: { signature: string }[] = await this.database.query(
      'SELECT DISTINCT signature FROM ledger_entries WHERE account_id = $1 AND signature IS NOT NULL',
      [accountId],
    );
    return rows.map(({ signature }) => signature);
  }
}
