import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Chain, ChainUnavailableError, type BalanceChange } from '#chain';
import { Clock } from '../runtime/clock';
import { type BalanceStep, LowBalancesService } from '../webhooks';
import { JobsService } from '../jobs/jobs.service';
import { LedgerService } from '../ledger';

const EVERY_MS = 1_000;
/** Accounts that one run looks at, in the order of their ids from where the last run ended. */
const PAGE = 300;
/** Accounts with an entry in this time are looked at by every run, up to a number of newest entries and of accounts. */
const RECENT_MS = 5_000;
const MAX_RECENT_ENTRIES = 500;
const MAX_RECENT_ACCOUNTS = 100;
/** The most changed accounts that one run reads, longest unread first. */
const MAX_READS = 100;
const CONCURRENT_READS = 8;
/** How often an account without a sign of a change is read too. */
const REREAD_AFTER_MS = 5 * 60_000;
const MAX_REREADS = 3;
/** Transactions that are stored together. */
const CHUNK = 50;

/** How far an account's transactions are read: all up to `signature`, which result in the balance `microUsdc`. */
interface Mark {
  signature: string | null;
  microUsdc: bigint;
}

interface FoundDeposit {
  signature: string;
  microUsdc: bigint;
  sender: string | null;
}

interface ReadAccount extends Mark {
  id: string;
  operatorId: string;
  tokenAccount: string;
  /** The newest entry of its ledger: now, and when the account was last read. */
  newestEntry: string | null;
  readEntry: string | null;
  readAt: Date;
}

/**
 * Finds deposits, and follows the balances of accounts transaction by transaction, in the order of the chain, for `balance.low_threshold`.
 * An account is read when its balance differs from the one that its known transactions result in, or its ledger has grown, so that money
 * that arrived and left again is found too. Reading continues after the last known transaction, so that no deposit is missed after a
 * downtime of any length.
 */
@Injectable()
export class DepositsService implements OnModuleInit {
  private readonly logger = new Logger('Deposits');
  /** The last account of the page that this process looked at last. */
  private cursor = '';

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly jobs: JobsService,
    private readonly ledger: LedgerService,
    private readonly lowBalances: LowBalancesService,
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
    // Where more have changed than one run reads, the next one goes on with the same page.
    if (await this.readChanged([...page, ...others])) this.cursor = page.length < PAGE ? '' : (page.at(-1) ?? '');
  }

  /** Reads those of at most some hundred accounts that have changed. False where some are left to the next call, or the chain is unavailable. */
  async readChanged(accountIds: string[]): Promise<boolean> {
    const accounts = await this.accounts(accountIds);
    try {
      const balances = await this.chain.accounts.balances(accounts.map(({ tokenAccount }) => tokenAccount));
      const { due, isComplete } = this.due(accounts, balances);
      for (let from = 0; from < due.length; from += CONCURRENT_READS)
        await Promise.all(due.slice(from, from + CONCURRENT_READS).map((account) => this.read(account)));
      return isComplete;
    } catch (error) {
      // The next run is the retry.
      if (!(error instanceof ChainUnavailableError)) throw error;
      this.logger.warn(`Deposits are not read: ${error.message}`);
      return false;
    }
  }

  /** Reads one account up to its newest transaction, before it is closed. @throws ChainUnavailableError */
  async readToEnd(accountId: string): Promise<void> {
    const [account] = await this.accounts([accountId]);
    if (account) await this.read(account);
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

  /** Reads the transactions after the last known one, oldest first. Moves the mark in the commit that stores the deposits. */
  private async read(account: ReadAccount): Promise<void> {
    const signatures = await this.chain.history.signaturesAfter(account.tokenAccount, account.signature);
    let mark: Mark = account;
    for (let from = 0; from < signatures.length; from += CHUNK) {
      const next = await this.readChunk(account, mark, signatures.slice(from, from + CHUNK));
      if (!next) return; // another process reads this account
      mark = next;
    }
    await this.database.query('UPDATE accounts SET read_ledger_entry = $2, read_at = $3 WHERE id = $1', [
      account.id,
      account.newestEntry,
      this.clock.now(),
    ]);
  }

  private async readChunk(account: ReadAccount, mark: Mark, signatures: string[]): Promise<Mark | undefined> {
    const known = await this.ledger.changesBy(account.id, signatures);
    const deposits: FoundDeposit[] = [];
    const steps: BalanceStep[] = [];
    let { microUsdc } = mark;
    const step = (change: bigint, at: Date): void => {
      steps.push({ before: microUsdc, after: microUsdc + change, at });
      microUsdc += change;
    };
    for (const signature of signatures) {
      const recorded = known.get(signature);
      if (recorded !== undefined) {
        step(recorded.microUsdc, recorded.settledAt);
        continue;
      }
      const change = await this.chain.history.changeIn(signature, account.tokenAccount);
      step(change.microUsdc, this.clock.now());
      const deposited = change.microUsdc - (await this.fromOurAccounts(change)) - change.ours;
      if (deposited > 0n) deposits.push({ signature, microUsdc: deposited, sender: change.sender });
    }
    const last = signatures.at(-1) ?? mark.signature;
    return (await this.store(account, mark.signature, { signature: last, microUsdc }, deposits, steps))
      ? { signature: last, microUsdc }
      : undefined;
  }

  /** The part of a change that other accounts of this service transferred. It is in their ledgers, and no deposit. */
  private async fromOurAccounts({ transfers }: BalanceChange): Promise<bigint> {
    if (transfers.length === 0) return 0n;
    const rows: { chain_address: string }[] = await this.database.query(
      'SELECT chain_address FROM accounts WHERE chain_address = ANY($1)',
      [transfers.map(({ account }) => account)],
    );
    const ours = new Set(rows.map((row) => row.chain_address));
    return transfers.filter(({ account }) => ours.has(account)).reduce((sum, { microUsdc }) => sum + microUsdc, 0n);
  }

  /** Stores deposits and moves the mark. False where another process has moved the mark and stored them. */
  private store(account: ReadAccount, from: string | null, to: Mark, deposits: FoundDeposit[], steps: BalanceStep[]): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      const [, moved]: [unknown, number] = await manager.query(
        'UPDATE accounts SET read_signature = $3, read_micro_usdc = $4 WHERE id = $1 AND read_signature IS NOT DISTINCT FROM $2',
        [account.id, from, to.signature, to.microUsdc.toString()],
      );
      if (moved === 0) return false;
      const { id: accountId, operatorId } = account;
      for (const deposit of deposits) await this.ledger.recordDeposit(manager, { operatorId, accountId, ...deposit });
      await this.lowBalances.note(manager, account, steps);
      return true;
    });
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
    const rows: Record<string, string | null>[] = await this.database.query(
      `SELECT id, operator_id, usdc_token_account, read_signature, read_micro_usdc, read_ledger_entry,
          extract(epoch FROM read_at) * 1000 AS read_at_ms
       FROM accounts WHERE state = 'open' AND id = ANY($1) ORDER BY read_at`,
      [ids],
    );
    const newest = await this.ledger.newest(rows.map((row) => String(row.id)));
    return rows.map((row) => ({
      id: String(row.id),
      operatorId: String(row.operator_id),
      tokenAccount: String(row.usdc_token_account),
      signature: row.read_signature ?? null,
      microUsdc: BigInt(row.read_micro_usdc ?? 0),
      newestEntry: newest.get(String(row.id)) ?? null,
      readEntry: row.read_ledger_entry ?? null,
      readAt: new Date(Math.max(0, Number(row.read_at_ms))),
    }));
  }
}
