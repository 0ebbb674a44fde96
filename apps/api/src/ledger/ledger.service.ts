import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { empty, execute, firstIdAt, newId, sql, type Sql } from '#database';
import { Clock } from '../runtime/clock';
import type { LedgerEntry } from './ledger-entry.entity';

/** A ledger entry to be written. What is left out is null. */
export type NewLedgerEntry = Pick<LedgerEntry, 'accountId' | 'type' | 'direction' | 'microUsdc'> &
  Partial<Omit<LedgerEntry, 'id' | 'operatorId' | 'createdAt'>>;

/** What usage is grouped by. */
export const USAGE_GROUP_NAMES = ['account', 'provider', 'category', 'day', 'rejection_reason'] as const;
export type UsageGroup = (typeof USAGE_GROUP_NAMES)[number];

/** The records of one group that left an account, or were declined. */
export interface Usage {
  group: string | null;
  settledMicroUsdc: bigint;
  settledCount: number;
  rejectedCount: number;
}

/** A day is one of UTC, by the time that a record was written. */
const USAGE_GROUPS: Record<UsageGroup, Sql> = {
  account: sql`account_id`,
  provider: sql`provider`,
  category: sql`category`,
  day: sql`to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
  rejection_reason: sql`rejection_reason`,
};

/** SQL: the sum of ledger entries in micro-USDC. Leave rejections out. */
export const NET_MICRO_USDC = `sum(CASE direction WHEN 'in' THEN micro_usdc ELSE -micro_usdc END)`;

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

  /** The sum of each account's ledger in micro-USDC. An account without entries is missing. */
  async net(accountIds: string[], manager: EntityManager): Promise<Map<string, bigint>> {
    const rows: { account_id: string; sum: string }[] = await manager.query(
      `SELECT account_id, ${NET_MICRO_USDC} AS sum FROM ledger_entries WHERE account_id = ANY($1) AND type <> 'rejection' GROUP BY account_id`,
      [accountIds],
    );
    return new Map(rows.map(({ account_id, sum }) => [account_id, BigInt(sum)]));
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

  /** The id of the newest entry of each account. An account without entries is missing. */
  async newest(accountIds: string[]): Promise<Map<string, string>> {
    const rows: { account_id: string; id: string | null }[] = await this.database.query(
      `SELECT account_id, (SELECT max(entry.id) FROM ledger_entries entry WHERE entry.account_id = given.account_id) AS id
       FROM unnest($1::text[]) AS given (account_id)`,
      [accountIds],
    );
    return new Map(rows.flatMap(({ account_id, id }) => (id === null ? [] : [[account_id, id] as const])));
  }

  /**
   * What left the accounts of an operator, and what was declined, by group: the greatest amount first, a day the newest first. Each record
   * is in one group; a group is null where its records have none. At most `limit` groups.
   */
  async usage(
    { operatorId, accountId, since, until }: { operatorId: string; accountId: string | null; since: Date | null; until: Date | null },
    { groupBy, limit }: { groupBy: UsageGroup; limit: number },
  ): Promise<Usage[]> {
    const from = since && sql`AND created_at > ${since} AND id >= ${firstIdAt('txn', since)}`;
    const to = until && sql`AND created_at <= ${until}`;
    const rows = await execute(
      this.database,
      sql`SELECT ${USAGE_GROUPS[groupBy]} AS usage_group, COALESCE(sum(micro_usdc) FILTER (WHERE type <> 'rejection'), 0)::text AS settled,
                 count(*) FILTER (WHERE type <> 'rejection')::int AS settled_count, count(*) FILTER (WHERE type = 'rejection')::int AS rejected_count
          FROM ledger_entries WHERE operator_id = ${operatorId} AND direction = 'out'
            ${accountId === null ? empty : sql`AND account_id = ${accountId}`} ${from ?? empty} ${to ?? empty}
          GROUP BY 1 ORDER BY ${groupBy === 'day' ? sql`1 DESC` : sql`sum(micro_usdc) FILTER (WHERE type <> 'rejection') DESC NULLS LAST, 4 DESC, 1`} LIMIT ${limit}`,
    );
    return rows.map(({ usage_group: group, settled, settled_count, rejected_count }) => ({
      group: group === null ? null : String(group),
      settledMicroUsdc: BigInt(String(settled)),
      settledCount: Number(settled_count),
      rejectedCount: Number(rejected_count),
    }));
  }

  /** Writes a deposit, in the caller's transaction. A deposit of the same transaction is written once. */
  async recordDeposit(
    manager: EntityManager,
    deposit: { operatorId: string; accountId: string; microUsdc: bigint; sender: string | null; signature: string },
  ): Promise<void> {
    const { operatorId, accountId, microUsdc, sender, signature } = deposit;
    const now = this.clock.now();
    await manager.query(
      `INSERT INTO ledger_entries (id, operator_id, account_id, type, direction, micro_usdc, counterparty, signature, created_at, settled_at)
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
