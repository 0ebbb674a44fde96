import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Chain, ChainUnavailableError } from '#chain';
import { Clock } from '../../runtime/clock';
import { JobsService } from '../../jobs/jobs.service';
import { LedgerService } from '../../ledger';
import { messageOf } from '../../runtime/observability/message-of';
import { DepositReader, type ReadAccount } from './deposit-reader';

const EVERY_MS = 1_000;
/** Accounts that one run looks at, in the order of their ids from where the last run ended. */
const PAGE = 300;
/** Accounts with an entry in this time are looked at by every run, up to a number of newest entries and of accounts. */
const RECENT_MS = 5_000;
const MAX_RECENT_ENTRIES = 500;
const MAX_RECENT_ACCOUNTS = 100;
/** The most changed accounts that one run reads, longest unread first. */
const MAX_READS = 100;
const CONCURRENT_READS = 50;
/** How long transfers that have just landed get until they are recorded. A deposit is found that much later. */
const RECORDING_MS = 500;
/** How often an account without a sign of a change is read too. */
const REREAD_AFTER_MS = 5 * 60_000;
const MAX_REREADS = 2;
/**
 * Finds deposits: chooses the accounts that are read. An account is read when its balance differs from the one that its known transactions
 * result in, or its ledger has grown, so that money that arrived and left again is found too.
 */
@Injectable()
export class DepositsService implements OnModuleInit {
  private readonly logger = new Logger('Deposits');
  /** The last account of the page that this process looked at last. */
  private cursor = '';
  /** Why accounts could not be read, so that each cause is logged once. */
  private readonly failures = new Map<string, string>();

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly jobs: JobsService,
    private readonly ledger: LedgerService,
    private readonly reader: DepositReader,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'deposits', everyMs: EVERY_MS, run: () => this.poll() });
  }

  /**
   * Looks at the next accounts in the order of their ids, and at those whose ledger has just grown: one request for a hundred balances, and
   * one or two for each account that has changed. Up to 300 accounts are all looked at by each run; 20,000 are in about a minute.
   */
  async poll(): Promise<void> {
    const page = await this.pageAfter(this.cursor);
    const recent = await this.ledger.accountsSince(new Date(this.clock.now().getTime() - RECENT_MS), MAX_RECENT_ENTRIES);
    const others = recent.filter((id) => !page.includes(id)).slice(0, MAX_RECENT_ACCOUNTS);
    // If more have changed than one run reads, the next one goes on with the same page.
    if (await this.readChanged([...page, ...others])) this.cursor = page.length < PAGE ? '' : (page.at(-1) ?? '');
  }

  /**
   * Reads those of at most some hundred accounts that have changed. An account that cannot be read holds no other up. False if some
   * are left to the next call. @throws ChainUnavailableError
   */
  async readChanged(accountIds: string[]): Promise<boolean> {
    const accounts = await this.accounts(accountIds);
    const balances = await this.chain.accounts.balances(accounts.map(({ tokenAccount }) => tokenAccount));
    const { due, isComplete } = this.due(accounts, balances);
    for (let from = 0; from < due.length; from += CONCURRENT_READS)
      await Promise.all(due.slice(from, from + CONCURRENT_READS).map((account) => this.tryToRead(account)));
    return isComplete;
  }

  /** Reads one account up to its newest transaction, before it is closed. @throws ChainUnavailableError */
  async readToEnd(accountId: string): Promise<void> {
    const [account] = await this.accounts([accountId]);
    if (account) await this.reader.read(account);
  }

  /** Removes an arrival that is not on the chain any more. The account is marked, so that its balance and its ledger are compared next. */
  async forget(accountId: string, entryId: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      if (!(await this.ledger.removeArrival(manager, accountId, entryId))) return;
      await manager.query('UPDATE accounts SET history_cut = true WHERE id = $1', [accountId]);
    });
  }

  /** The next run is the retry. */
  private async tryToRead(account: ReadAccount): Promise<void> {
    try {
      await this.reader.read(account, { recordingMs: RECORDING_MS });
      this.failures.delete(account.id);
    } catch (error) {
      if (!(error instanceof ChainUnavailableError)) throw error;
      const message = messageOf(error);
      if (this.failures.get(account.id) !== message) this.logger.warn(`The deposits of ${account.id} are not read: ${message}`);
      if (this.failures.size < PAGE) this.failures.set(account.id, message);
    }
  }

  private due(accounts: ReadAccount[], balances: (bigint | null)[]): { due: ReadAccount[]; isComplete: boolean } {
    const changed = accounts.filter(
      (account, index) => account.newestEntry !== account.readEntry || (balances[index] ?? 0n) !== account.microUsdc,
    );
    const longAgo = this.clock.now().getTime() - REREAD_AFTER_MS;
    const isChanged = new Set(changed);
    const unread = accounts.filter((account) => account.readAt.getTime() < longAgo && !isChanged.has(account));
    return { due: [...changed.slice(0, MAX_READS), ...unread.slice(0, MAX_REREADS)], isComplete: changed.length <= MAX_READS };
  }

  /** The ids of the next open accounts after one. */
  private async pageAfter(id: string): Promise<string[]> {
    const rows: { id: string }[] = await this.database.query(
      `SELECT id FROM accounts WHERE state = 'open' AND id > $1 ORDER BY id LIMIT ${PAGE}`,
      [id],
    );
    return rows.map((row) => row.id);
  }

  /** The open accounts among these, longest unread first. */
  private async accounts(ids: string[]): Promise<ReadAccount[]> {
    const rows: (Record<string, string | null> & { history_cut: boolean })[] = await this.database.query(
      `SELECT id, operator_id, fleet_id, chain_address, usdc_token_account, read_signature, read_micro_usdc, read_ledger_entry, history_cut,
          extract(epoch FROM read_at) * 1000 AS read_at_ms
       FROM accounts WHERE state = 'open' AND id = ANY($1) ORDER BY read_at`,
      [ids],
    );
    const newest = await this.ledger.newest(rows.map((row) => String(row.id)));
    return rows.map((row) => ({
      id: String(row.id),
      operatorId: String(row.operator_id),
      chainAddress: String(row.chain_address),
      tokenAccount: String(row.usdc_token_account),
      fleetId: row.fleet_id === null ? null : String(row.fleet_id),
      signature: row.read_signature ?? null,
      microUsdc: BigInt(row.read_micro_usdc ?? 0),
      newestEntry: newest.get(String(row.id)) ?? null,
      readEntry: row.read_ledger_entry ?? null,
      readAt: new Date(Math.max(0, Number(row.read_at_ms))),
      isCut: row.history_cut,
    }));
  }
}
