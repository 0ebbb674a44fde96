import { setTimeout } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type BalanceChange, Chain, ChainUnavailableError } from '#chain';
import { SharedStatements, sql } from '#database';
import { OutboxService } from '../../events';
import { LedgerService } from '../../ledger';
import { Clock } from '../../runtime/clock';
import { type BalanceStep, LowBalancesService } from '../../webhooks';
import { type IncomingPayment, IncomingPayments } from './incoming-payments';
import { UnexplainedAmounts } from './unexplained-amounts';
import { type Mark, unreadTransactions } from './unread-transactions';

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

/** An account, and what was read of it. */
export interface ReadAccount extends Mark {
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
 * Reads the history of one account transaction by transaction, in the order of the chain: stores its deposits, and follows its balance for
 * `balance.low_threshold`. Reading continues after the last known transaction, so that no deposit is missed after a downtime of any length.
 */
@Injectable()
export class DepositReader {
  private readonly logger = new Logger('Deposits');
  /** Marks of accounts that are read at the same time are stored together. */
  private readonly marks: SharedStatements;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly ledger: LedgerService,
    private readonly outbox: OutboxService,
    private readonly lowBalances: LowBalancesService,
    private readonly incoming: IncomingPayments,
    private readonly amounts: UnexplainedAmounts,
  ) {
    this.marks = new SharedStatements(database);
  }

  /**
   * Reads the transactions after the last known one, oldest first. Moves the mark in the commit that stores the deposits. `recordingMs`: the time
   * that transfers of this service which have just landed get until they are recorded, because reading them from a node costs more.
   */
  async read(account: ReadAccount, { recordingMs = 0 } = {}): Promise<void> {
    const { from, signatures, isComplete } = await unreadTransactions(this.chain, this.ledger, account);
    const isCut = account.isCut || !isComplete;
    if (from.signature !== account.signature && !(await this.store(account, account.signature, from, { ...NOTHING, isCut }))) return;
    if (recordingMs > 0 && !(await this.areRecorded(account, signatures.slice(-CHUNK)))) await setTimeout(recordingMs);
    const read = await this.readAll(account, from, signatures);
    if (!read || (isCut && !(await this.recordDifference(account, read)))) return;
    const { id, newestEntry } = account;
    await this.marks.execute(
      sql`UPDATE accounts SET read_ledger_entry = ${newestEntry}, read_at = ${this.clock.now()} WHERE id = ${id}`,
      id,
    );
  }

  private async areRecorded({ id }: ReadAccount, signatures: string[]): Promise<boolean> {
    if (signatures.length === 0) return true;
    const known = await this.ledger.changesBy(id, signatures);
    return signatures.every((signature) => known.has(signature));
  }

  /** Undefined if another process reads this account. */
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
   * unresolved, whose money is in no entry either, the account stays marked. False if another process reads this account.
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

  /** Stores deposits and moves the mark. False if another process has moved the mark and stored them. */
  private async store(
    account: ReadAccount,
    from: string | null,
    to: Mark,
    { found: { deposits, payments }, steps, isCut = null }: ReadStep,
  ): Promise<boolean> {
    const { id: accountId, operatorId } = account;
    const mark = sql`UPDATE accounts
      SET read_signature = ${to.signature}, read_micro_usdc = ${to.microUsdc.toString()}, history_cut = COALESCE(${isCut}, history_cut)
      WHERE id = ${accountId} AND read_signature IS NOT DISTINCT FROM ${from} RETURNING id`;
    const events = await this.lowBalances.eventsOf(account, steps);
    if (deposits.length + payments.length + events.length === 0) return (await this.marks.execute(mark, accountId)).length > 0;
    return this.database.transaction(async (manager) => {
      const [, moved]: [unknown, number] = await manager.query(mark.text, mark.values);
      if (moved === 0) return false;
      for (const deposit of deposits) await this.ledger.recordDeposit(manager, { operatorId, accountId, ...deposit });
      for (const payment of payments) await this.ledger.recordIncoming(manager, { accountId, ...payment });
      for (const event of events) await this.outbox.record(manager, event);
      return true;
    });
  }
}
