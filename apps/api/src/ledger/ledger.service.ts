import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { newId } from '#database';
import { Clock } from '../runtime/clock';
import type { LedgerEntry } from './ledger-entry.entity';

/** A ledger entry to be written. */
export type NewLedgerEntry = Omit<LedgerEntry, 'id' | 'createdAt'>;

/** SQL: the sum of ledger entries in micro-USDC. Leave rejections out. */
export const NET_MICRO_USDC = `sum(CASE direction WHEN 'in' THEN micro_usdc ELSE -micro_usdc END)`;

/** The ledger: what happened to each account's money. */
@Injectable()
export class LedgerService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Entries in the form that the SQL function `record_lines` takes, for the statement that makes the change they record. */
  rows(entries: NewLedgerEntry[]): object[] {
    const created_at = this.clock.now();
    return entries.map((entry) => ({
      id: newId('txn', created_at),
      account_id: entry.accountId,
      type: entry.type,
      direction: entry.direction,
      micro_usdc: entry.microUsdc.toString(),
      counterparty: entry.counterparty,
      memo: entry.memo,
      category: entry.category,
      signature: entry.signature,
      transfer_id: entry.transferId,
      session_id: entry.sessionId,
      rejection_reason: entry.rejectionReason,
      created_at,
      settled_at: entry.settledAt,
    }));
  }

  /** The sum of each account's ledger in micro-USDC. An account without entries is missing. */
  async net(accountIds: string[], manager: EntityManager): Promise<Map<string, bigint>> {
    const rows: { account_id: string; sum: string }[] = await manager.query(
      `SELECT account_id, ${NET_MICRO_USDC} AS sum FROM records WHERE account_id = ANY($1) AND type <> 'rejection' GROUP BY account_id`,
      [accountIds],
    );
    return new Map(rows.map(({ account_id, sum }) => [account_id, BigInt(sum)]));
  }

  /** The transactions that an account's ledger names. */
  async signatures(accountId: string): Promise<string[]> {
    const rows: { signature: string }[] = await this.database.query(
      'SELECT DISTINCT signature FROM records WHERE account_id = $1 AND signature IS NOT NULL',
      [accountId],
    );
    return rows.map(({ signature }) => signature);
  }
}
