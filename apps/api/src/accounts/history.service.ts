import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { And, DataSource, type EntityManager, MoreThan, MoreThanOrEqual, Not } from 'typeorm';
import { firstIdAt, newId } from '#database';
import { Clock } from '../runtime/clock';
import { ExplorerLinks } from '../http/explorer-links';
import { pageWindow, toPage, type Page } from '../http/pages';
import { AccountRecord } from '../ledger/ledger-entry.entity';
import { recordView, type ListRecordsQuery, type RecordView } from './accounts.dto';
import { AccountsService } from './accounts.service';

export type NewRecord = Omit<AccountRecord, 'id' | 'createdAt'>;

/** SQL: what lines of a history amount to, in micro-USDC; rejections are to be left out. */
export const NET_MICRO_USDC = `sum(CASE direction WHEN 'in' THEN micro_usdc ELSE -micro_usdc END)`;

/** What happened to an account's money. */
@Injectable()
export class HistoryService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly accounts: AccountsService,
    private readonly links: ExplorerLinks,
  ) {}

  /** Lines as the SQL function `record_lines` takes them: for the statement that makes the fact that they tell. */
  rows(records: NewRecord[]): object[] {
    const created_at = this.clock.now();
    return records.map((record) => ({
      id: newId('txn', created_at),
      account_id: record.accountId,
      type: record.type,
      direction: record.direction,
      micro_usdc: record.microUsdc.toString(),
      counterparty: record.counterparty,
      memo: record.memo,
      category: record.category,
      signature: record.signature,
      transfer_id: record.transferId,
      session_id: record.sessionId,
      rejection_reason: record.rejectionReason,
      created_at,
      settled_at: record.settledAt,
    }));
  }

  /** What the history of each account amounts to, in micro-USDC; an account without lines is missing. */
  async net(accountIds: string[], manager: EntityManager): Promise<Map<string, bigint>> {
    const rows: { account_id: string; sum: string }[] = await manager.query(
      `SELECT account_id, ${NET_MICRO_USDC} AS sum FROM records WHERE account_id = ANY($1) AND type <> 'rejection' GROUP BY account_id`,
      [accountIds],
    );
    return new Map(rows.map(({ account_id, sum }) => [account_id, BigInt(sum)]));
  }

  /** The transactions that an account's history names. */
  async signatures(accountId: string): Promise<string[]> {
    const rows: { signature: string }[] = await this.database.query(
      'SELECT DISTINCT signature FROM records WHERE account_id = $1 AND signature IS NOT NULL',
      [accountId],
    );
    return rows.map(({ signature }) => signature);
  }

  async list(operatorId: string, accountId: string, query: ListRecordsQuery): Promise<Page<RecordView>> {
    await this.accounts.find(operatorId, accountId);
    const { where, ...window } = pageWindow(query);
    const type = { settled: { type: Not('rejection' as const) }, rejected: { type: 'rejection' as const }, all: {} }[query.status];
    const since = query.since === undefined ? undefined : new Date(query.since);
    // The first bound is the cursor's; the second lets the index end where the time does.
    const bounds = [where.id, since && MoreThanOrEqual(firstIdAt('txn', since))].filter((bound) => bound !== undefined);
    const records = await this.database.manager.find(AccountRecord, {
      ...window,
      where: { ...type, accountId, ...(since && { createdAt: MoreThan(since) }), ...(bounds.length > 0 && { id: And(...bounds) }) },
    });
    return toPage(records, query, (record) => recordView(record, (signature) => this.links.transaction(signature)));
  }
}
