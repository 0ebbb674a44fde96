import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Chain, ChainUnavailableError, type BalanceChange } from '#chain';
import { Clock } from '../runtime/clock';
import { type BalanceStep, LowBalancesService } from '../webhooks';
import { JobsService } from '../jobs/jobs.service';
import { LedgerService } from '../ledger';
import { messageOf } from '../runtime/message-of';
import { type IncomingPayment, IncomingPayments } from './incoming-payments';
import { UnexplainedAmounts } from './unexplained-amounts';
import { type Mark, unreadTransactions } from './unread-transactions';

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
const MAX_REREADS = 2;
/** Transactions that are stored together. */
const CHUNK = 50;
/** How often the balance is compared again when a transaction lands in between. */
const MAX_COMPARISONS = 5;

interface FoundPayment extends IncomingPayment {
  signature: string;
}

interface FoundDeposit {
  /** Null if no node shows the transaction. */
  signature: string | null;
  microUsdc: bigint;
  sender: string | null;
}

interface Found {
  deposits: FoundDeposit[];
  payments: FoundPayment[];
}

/** The rows that are stored with a new mark of an account. */
interface ReadStep {
  found: Found;
  steps: BalanceStep[];
  /** Whether transactions before the mark are lost; null to leave it as it is. */
  isCut?: boolean | null;
}
const NOTHING: ReadStep = { found: { deposits: [], payments: [] }, steps: [] };

interface ReadAccount extends Mark {
  id: string;
  operatorId: string;
  chainAddress: string;
  tokenAccount: string;
  fleetId: string | null;
  /** The newest entry of its ledger: now, and when the account was last read. */
  newestEntry: string | null;
  readEntry: string | null;
  readAt: Date;
  /** Nodes have lost transactions that were not read. */
  isCut: boolean;
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
  /** Why accounts could not be read, so that each cause is logged once. */
  private readonly failures = new Map<string, string>();

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly jobs: JobsService,
    private readonly ledger: LedgerService,
    private readonly lowBalances: LowBalancesService,
    private readonly incoming: IncomingPayments,
    private readonly amounts: UnexplainedAmounts,
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

  /**
   * Reads those of at most some hundred accounts that have changed. An account that cannot be read holds no other up. False where some
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
    if (account) await this.read(account);
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
      await this.read(account);
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

  /** Reads the transactions after the last known one, oldest first. Moves the mark in the commit that stores the deposits. */
  private async read(account: ReadAccount): Promise<void> {
    const { from, signatures, isComplete } = await unreadTransactions(this.chain, this.ledger, account);
    const isCut = account.isCut || !isComplete;
    if (from.signature !== account.signature && !(await this.store(account, account.signature, from, { ...NOTHING, isCut }))) return;
    const read = await this.readAll(account, from, signatures);
    if (!read || (isCut && !(await this.recordDifference(account, read)))) return;
    await this.database.query('UPDATE accounts SET read_ledger_entry = $2, read_at = $3 WHERE id = $1', [
      account.id,
      account.newestEntry,
      this.clock.now(),
    ]);
  }

  /** Undefined where another process reads this account. */
  private async readAll(account: ReadAccount, start: Mark, signatures: string[]): Promise<Mark | undefined> {
    let mark = start;
    for (let from = 0; from < signatures.length; from += CHUNK) {
      const next = await this.readChunk(account, mark, signatures.slice(from, from + CHUNK));
      if (!next) return undefined;
      mark = next;
    }
    return mark;
  }

  /**
   * Records what arrived in transactions that no node has any more: what the balance has and the ledger has not. While something of the account is
   * unresolved, whose money is in no entry either, the account stays marked. False where another process reads this account.
   */
  private async recordDifference(account: ReadAccount, start: Mark): Promise<boolean> {
    let mark = start;
    for (let attempt = 0; attempt < MAX_COMPARISONS; attempt++) {
      const unexplained = await this.amounts.ofId(account.id);
      const later = await this.chain.history.signaturesAfter(account.tokenAccount, mark.signature);
      const next = await this.readAll(account, mark, later);
      if (!next) return false;
      mark = next;
      if (later.length > 0 || unexplained === undefined) continue;
      const { microUsdc, unresolved, balance } = unexplained;
      const isCertain = unresolved.length === 0;
      const deposits = isCertain && microUsdc < 0n ? [{ signature: null, microUsdc: -microUsdc, sender: null }] : [];
      if (isCertain && microUsdc > 0n)
        this.logger.warn(`${account.id} lacks ${microUsdc} micro-USDC of its history, which no node has completely any more`);
      const step = { before: mark.microUsdc, after: balance, at: this.clock.now() };
      const to = { signature: mark.signature, microUsdc: balance };
      return this.store(account, mark.signature, to, { found: { deposits, payments: [] }, steps: [step], isCut: !isCertain });
    }
    throw new ChainUnavailableError(`${account.id} changes faster than it is read`);
  }

  private async readChunk(account: ReadAccount, mark: Mark, signatures: string[]): Promise<Mark | undefined> {
    const known = await this.ledger.changesBy(account.id, signatures);
    const deposits: FoundDeposit[] = [];
    const payments: FoundPayment[] = [];
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
      const arrived = change.microUsdc - (await this.fromOurAccounts(change)) - change.ours;
      const paid = arrived > 0n ? await this.incoming.paymentsIn(account, signature, arrived) : [];
      payments.push(...paid.map((payment) => ({ signature, ...payment })));
      const deposited = paid.reduce((rest, { microUsdc: part }) => rest - part, arrived);
      if (deposited > 0n) deposits.push({ signature, microUsdc: deposited, sender: change.sender });
    }
    const last = signatures.at(-1) ?? mark.signature;
    const reached = { signature: last, microUsdc };
    return (await this.store(account, mark.signature, reached, { found: { deposits, payments }, steps })) ? reached : undefined;
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
  private store(
    account: ReadAccount,
    from: string | null,
    to: Mark,
    { found: { deposits, payments }, steps, isCut = null }: ReadStep,
  ): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      const [, moved]: [unknown, number] = await manager.query(
        `UPDATE accounts SET read_signature = $3, read_micro_usdc = $4, history_cut = COALESCE($5, history_cut)
         WHERE id = $1 AND read_signature IS NOT DISTINCT FROM $2`,
        [account.id, from, to.signature, to.microUsdc.toString(), isCut],
      );
      if (moved === 0) return false;
      const { id: accountId, operatorId } = account;
      for (const deposit of deposits) await this.ledger.recordDeposit(manager, { operatorId, accountId, ...deposit });
      for (const payment of payments) await this.ledger.recordIncoming(manager, { accountId, ...payment });
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
