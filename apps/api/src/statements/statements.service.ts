import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Chain, ChainUnavailableError } from '#chain';
import {
  type Account,
  AccountSelection,
  AccountsService,
  csvRecords,
  DepositsService,
  LedgerBalances,
  type RecordView,
  recordView,
} from '../accounts';
import { csvHeader, csvLine } from '../lists/csv';
import { InvalidRequest, NotFound } from '../http/domain.errors';
import { ExplorerLinks } from '../http/explorer-links';
import { ArchivedMonths, type LedgerEntry, LedgerService, LedgerSums } from '../ledger';
import { formatUsdc } from '../money/usdc';
import { type Fees, OrderFees } from '../orders';
import { Clock } from '../runtime/clock';
import { BalanceOrder } from './balance-order';
import { type Month, nameOf, parseMonth } from './months';
import { FILE_COLUMNS, type FileRecord, RecordFiles } from './records/record-files';
import type { StatementView } from './statements.dto';

/** Records that are read together. */
const PAGE = 500;
/** How often ledger and chain are compared again: what has just landed is stored within a moment. */
const MAX_COMPARISONS = 10;
const PAUSE_MS = 300;

const COLUMNS = [...FILE_COLUMNS, 'balance_usdc'] as const;

/** A record and the balance after it, or a balance alone. */
type Line = Partial<Omit<FileRecord, 'type'>> & { type: string; balance_usdc: string };
const lineOf = (line: Line): string => csvLine<Line>(COLUMNS, line);

/** The content of a statement beside its records. */
interface Frame {
  account: Account;
  month: Month;
  opening: bigint;
  held: bigint | null;
  fees: Fees;
}

/** Statements of accounts: the records of a month between two balances. */
@Injectable()
export class StatementsService {
  constructor(
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly selection: AccountSelection,
    private readonly deposits: DepositsService,
    private readonly balances: LedgerBalances,
    private readonly ledger: LedgerService,
    private readonly sums: LedgerSums,
    private readonly archived: ArchivedMonths,
    private readonly fees: OrderFees,
    private readonly files: RecordFiles,
    private readonly links: ExplorerLinks,
  ) {}

  /**
   * The statement as JSON text, a page of records a chunk. @throws NotFound, also for an archived month; InvalidRequest for a month that has not
   * begun; ChainUnavailableError while the running month's ledger is not what the chain holds.
   */
  async *json(operatorId: string, accountId: string, month: string | undefined): AsyncGenerator<string> {
    const frame = await this.frame(operatorId, accountId, month);
    const { head, tail } = textOf(frame);
    let [received, sent] = [0n, 0n];
    let separator = '';
    yield head;
    for await (const page of this.records(frame)) {
      yield separator + page.map((entry) => JSON.stringify(this.view(entry))).join(',');
      separator = ',';
      received += sumOf(page, 'in');
      sent += sumOf(page, 'out');
    }
    yield tail({ received, sent });
  }

  /** The statement as CSV: the records between a row with the opening and one with the closing balance. @throws as `json` */
  async *csv(operatorId: string, accountId: string, month: string | undefined): AsyncGenerator<string> {
    const frame = await this.frame(operatorId, accountId, month);
    let balance = frame.opening;
    yield csvHeader(COLUMNS) + lineOf({ type: 'opening', balance_usdc: formatUsdc(balance) });
    for await (const page of this.records(frame)) {
      const views = page.map((entry) => this.view(entry));
      const records = await this.files.withFees(await csvRecords(this.selection, operatorId, views));
      yield page
        .map((entry, index) => {
          balance += entry.direction === 'in' ? entry.microUsdc : -entry.microUsdc;
          return lineOf({ type: entry.type, ...records[index], balance_usdc: formatUsdc(balance) });
        })
        .join('');
    }
    yield lineOf({ type: 'closing', balance_usdc: formatUsdc(balance) });
  }

  private async frame(operatorId: string, accountId: string, wanted: string | undefined): Promise<Frame> {
    const account = await this.accounts.findEver(operatorId, accountId);
    const month = this.month(wanted);
    const archivedEnd = await this.archived.end();
    if (archivedEnd !== null && month.from < archivedEnd)
      throw new NotFound(
        `The records before ${nameOf(archivedEnd)} are archived. Restore them to see the statement of ${nameOf(month.from)}.`,
      );
    const held = month.isRunning && account.state === 'open' ? await this.agreedHeld(account) : null;
    // A record of the time in which the ledger was compared with the chain belongs to the statement.
    const current = month.isRunning ? this.month(wanted) : month;
    const [opening, fees] = await Promise.all([this.sums.netBefore(accountId, current.from), this.fees.of(accountId, current)]);
    return { account, month: current, opening, held, fees };
  }

  /** @throws InvalidRequest */
  private month(wanted: string | undefined): Month {
    const now = this.clock.now();
    const month = parseMonth(wanted ?? nameOf(now), now);
    if (!month) throw InvalidRequest.field('month', month === null ? 'has not begun yet' : 'must be a month such as 2026-11');
    return month;
  }

  /** The amount that an account's sessions hold, once its ledger agrees with the chain. @throws ChainUnavailableError */
  private async agreedHeld(account: Account): Promise<bigint> {
    const { id, usdcTokenAccount, observedSlot } = account;
    for (let count = 0; count < MAX_COMPARISONS; count++) {
      if (count > 0) await sleep(PAUSE_MS);
      await this.deposits.readToEnd(id);
      const [ledger] = await this.balances.of([id]);
      const [balance] = await this.chain.accounts.balances([usdcTokenAccount], Number(observedSlot));
      if (ledger && ledger.balance === (balance ?? 0n)) return ledger.held;
    }
    throw new ChainUnavailableError('a payment of the account is on its way: its ledger is not what the chain holds');
  }

  /** The records of a statement in the order of its balance. */
  private async *records(frame: Frame): AsyncGenerator<LedgerEntry[]> {
    const order = new BalanceOrder<LedgerEntry>(frame.opening);
    for await (const page of this.pages(frame)) {
      const next = order.next(page);
      if (next.length > 0) yield next;
    }
    const rest = order.rest();
    if (rest.length > 0) yield rest;
  }

  /** The records of a statement, oldest first. Each page is one short statement that runs when the reader asks for it. */
  private async *pages({ account, month: { from, to } }: Frame): AsyncGenerator<LedgerEntry[]> {
    let after: string | null = null;
    for (;;) {
      const page: LedgerEntry[] = await this.ledger.moved(account.id, { from, to, after, limit: PAGE });
      if (page.length > 0) yield page;
      if (page.length < PAGE) return;
      after = page.at(-1)?.id ?? null;
    }
  }

  private view(entry: LedgerEntry): RecordView {
    return recordView(entry, (signature) => this.links.transaction(signature));
  }
}

/** The text before the records, and the one after them. */
function textOf({ account, month, opening, held, fees }: Frame): {
  head: string;
  tail: (sums: { received: bigint; sent: bigint }) => string;
} {
  const before: Omit<StatementView, 'records' | 'in_usdc' | 'out_usdc' | 'fees' | 'closing_balance_usdc' | 'held_usdc'> = {
    account_id: account.id,
    month: nameOf(month.from),
    from: month.from.toISOString(),
    to: month.to.toISOString(),
    complete: month.isComplete,
    opening_balance_usdc: formatUsdc(opening),
  };
  return {
    head: `${JSON.stringify(before).slice(0, -1)},"records":[`,
    tail: ({ received, sent }) => {
      const after: Omit<StatementView, keyof typeof before | 'records'> = {
        in_usdc: formatUsdc(received),
        out_usdc: formatUsdc(sent),
        fees: { lamports: Number(fees.lamports), transactions: fees.transactions },
        closing_balance_usdc: formatUsdc(opening + received - sent),
        held_usdc: held === null ? null : formatUsdc(held),
      };
      return `],${JSON.stringify(after).slice(1)}`;
    },
  };
}

function sumOf(entries: readonly LedgerEntry[], direction: LedgerEntry['direction']): bigint {
  return entries.reduce((sum, entry) => (entry.direction === direction ? sum + entry.microUsdc : sum), 0n);
}
