import { Injectable } from '@nestjs/common';
import { sql } from '#database';
import type { Caller } from '../../http/caller';
import { ExplorerLinks } from '../../http/explorer-links';
import { pageConditions, toPage, type Page } from '../../lists/pages';
import { LEDGER_ENTRY_TYPES, type LedgerEntry, LedgerService } from '../../ledger';
import { given, type MergedList } from '../../persistence/merged-list';
import { AccountSelection } from '../account-selection';
import { AccountsService } from '../accounts.service';
import { type CsvRecord, csvRecords } from './records.csv';
import { recordView, type ListRecordsQuery, type ListTransactionsQuery, type RecordView } from './records.dto';

/** Records that are read together for an export. */
const EXPORT_PAGE = 500;

/** Reads the histories of accounts for the API. */
@Injectable()
export class HistoryService {
  constructor(
    private readonly ledger: LedgerService,
    private readonly accounts: AccountsService,
    private readonly selection: AccountSelection,
    private readonly links: ExplorerLinks,
  ) {}

  /** A page of one account's records. @throws NotFound */
  async list(operatorId: string, accountId: string, query: ListRecordsQuery): Promise<Page<RecordView>> {
    await this.accounts.find(operatorId, accountId);
    const filters = pageConditions('txn', query);
    const records = await this.read({ operatorId, accountIds: [accountId], filters, limit: query.limit + 1 }, query);
    return toPage(records, query, (record) => this.view(record));
  }

  /** A page of the records of all accounts that the caller may see. */
  async listAll(caller: Caller, query: ListTransactionsQuery): Promise<Page<RecordView>> {
    const records = await this.readAll(caller, await this.accounts.listed(caller, query), query, query.limit + 1);
    return toPage(records, query, (record) => this.view(record));
  }

  /**
   * All records of a query as files have them, some hundred at once. Each chunk is a few short statements that run when the reader asks
   * for it, so that a slow reader holds neither a transaction nor more than a chunk in memory. The first chunk may be empty.
   */
  async *every(caller: Caller, query: ListTransactionsQuery): AsyncGenerator<CsvRecord[]> {
    const accountIds = await this.accounts.listed(caller, query);
    let cursor: string | undefined;
    for (;;) {
      const records = await this.readAll(caller, accountIds, { ...query, ...(cursor !== undefined && { cursor }) }, EXPORT_PAGE);
      yield csvRecords(
        this.selection,
        caller.operatorId,
        records.map((record) => this.view(record)),
      );
      cursor = records.at(-1)?.id;
      if (records.length < EXPORT_PAGE) return;
    }
  }

  private readAll(
    { operatorId }: Caller,
    accountIds: readonly string[] | null,
    query: ListTransactionsQuery,
    limit: number,
  ): Promise<LedgerEntry[]> {
    const filters = [
      ...given(query.category, (category) => sql`category = ${category}`),
      ...given(query.counterparty, (counterparty) => sql`counterparty = ${counterparty}`),
      ...given(query.reference, (reference) => sql`reference = ${reference}`),
    ];
    // The few records with a reference are found among all of the operator's.
    const isRare = query.reference !== undefined && accountIds !== null;
    const ofAccounts = isRare ? [sql`account_id = ANY(${accountIds})`] : [];
    const list = {
      operatorId,
      accountIds: isRare ? null : accountIds,
      filters: [...filters, ...ofAccounts, ...pageConditions('txn', query)],
      limit,
    };
    return this.read(list, query, filters.length > 0);
  }

  private async read(
    list: Pick<MergedList, 'operatorId' | 'accountIds' | 'filters' | 'limit'>,
    query: Pick<ListRecordsQuery, 'type' | 'status'>,
    isFiltered = false,
  ): Promise<LedgerEntry[]> {
    const types = typesOf(query);
    if (types.length === 0) return [];
    return this.ledger.list({ ...list, types, isFiltered });
  }

  private view(record: LedgerEntry): RecordView {
    return recordView(record, (signature) => this.links.transaction(signature));
  }
}

/** The types of the records that a query asks for. A record is rejected exactly if its type is `rejection`. */
function typesOf({ type, status }: Pick<ListRecordsQuery, 'type' | 'status'>): LedgerEntry['type'][] {
  const ofStatus = LEDGER_ENTRY_TYPES.filter((each) => status === 'all' || (status === 'rejected') === (each === 'rejection'));
  return ofStatus.filter((each) => type === undefined || each === type);
}
