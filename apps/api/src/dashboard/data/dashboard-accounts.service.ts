import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { empty, execute, type Row, sql } from '#database';
import { Clock } from '../../runtime/clock';
import { type AccountHour, LedgerSums, type Usage } from '../../ledger';
import { formatUsdc } from '../../money/usdc';
import type { ListedAccountsView, ListedAccountView } from '../views';

/** The accounts of one answer. */
const PAGE = 250;
/** More accounts than one answer has, as far as they were used in the last 24 hours. */
const MAX_USED = 10_000;
const HOUR_MS = 60 * 60_000;
const SHOWN_HOURS = 24;
const DAY_MS = SHOWN_HOURS * HOUR_MS;

/** The accounts of the dashboard, from the database alone: one request shows all of them, also while the chain is not available. */
@Injectable()
export class DashboardAccountsService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly sums: LedgerSums,
  ) {}

  /** A page of the accounts, the newest first: those before an id, or the one with an id. */
  async list(
    operatorId: string,
    { before = null, id: accountId = null }: { before?: string | null; id?: string | null },
  ): Promise<ListedAccountsView> {
    const scope = {
      operatorId,
      accountIds: accountId === null ? null : [accountId],
      since: new Date(this.clock.now().getTime() - DAY_MS),
      until: null,
    };
    const thisHour = Math.floor(this.clock.now().getTime() / HOUR_MS) * HOUR_MS;
    const firstHour = thisHour - (SHOWN_HOURS - 1) * HOUR_MS;
    const [rows, usage, hours] = await Promise.all([
      this.accounts(operatorId, accountId, before),
      this.sums.usage(scope, { groupBy: 'account', limit: MAX_USED }),
      this.sums.hoursByAccount(operatorId, new Date(firstHour)),
    ]);
    const hoursOf = new Map<string, AccountHour[]>();
    for (const each of hours) hoursOf.set(each.accountId, [...(hoursOf.get(each.accountId) ?? []), each]);
    const usageOf = new Map(usage.groups.map((each) => [each.group, each]));
    const data = rows
      .slice(0, PAGE)
      .map((row) => viewOf(row as unknown as AccountRow, usageOf.get(String(row.id)), heightsOf(hoursOf.get(String(row.id)), firstHour)));
    return { data, has_more: rows.length > PAGE };
  }

  private accounts(operatorId: string, accountId: string | null, before: string | null): Promise<Row[]> {
    const one = accountId === null ? empty : sql`AND account_id = ${accountId}`;
    return execute(
      this.database,
      sql`SELECT accounts.id, name, handle, labels, state, paused, COALESCE(read_micro_usdc, 0)::text AS balance, accounts.created_at,
                 event_counters.last_event_at, policy -> 'max_single_transfer' AS max_single_transfer,
                 policy -> 'max_daily_spend' AS max_daily_spend, policy -> 'escalation_threshold' AS escalation_threshold,
                 jsonb_typeof(policy -> 'allowed_counterparties') = 'array' OR jsonb_typeof(policy -> 'categories') = 'array' AS has_lists,
                 (COALESCE(open_sessions.reserved, 0) + COALESCE(open_purses.reserved, 0))::text AS reserved
          FROM accounts
          LEFT JOIN event_counters ON event_counters.account_id = accounts.id
          LEFT JOIN (SELECT account_id, sum(cap_micro_usdc) AS reserved FROM sessions
                     WHERE operator_id = ${operatorId} AND state IN ('open', 'closing') ${one} GROUP BY 1) AS open_sessions
             ON open_sessions.account_id = accounts.id
          LEFT JOIN (SELECT account_id, sum(micro_usdc - spent_micro_usdc) AS reserved FROM purses
                     WHERE operator_id = ${operatorId} AND status IN ('open', 'closing') ${one} GROUP BY 1) AS open_purses
             ON open_purses.account_id = accounts.id
          WHERE accounts.operator_id = ${operatorId} AND state <> 'creating' ${accountId === null ? empty : sql`AND accounts.id = ${accountId}`}
                ${before === null ? empty : sql`AND accounts.id < ${before}`}
          ORDER BY accounts.id DESC LIMIT ${PAGE + 1}`,
    );
  }
}

/** The amounts of an account's hours in percent of the greatest. */
function heightsOf(hours: AccountHour[] | undefined, firstHour: number): number[] {
  if (!hours) return [];
  const greatest = hours.reduce((most, { sentMicroUsdc }) => (sentMicroUsdc > most ? sentMicroUsdc : most), 1n);
  const heights = Array.from({ length: SHOWN_HOURS }, () => 0);
  for (const { hour, sentMicroUsdc } of hours) heights[(hour.getTime() - firstHour) / HOUR_MS] = Number((sentMicroUsdc * 100n) / greatest);
  return heights;
}

interface AccountRow {
  id: string;
  name: string;
  handle: string;
  labels: string[];
  state: 'open' | 'closed';
  paused: boolean;
  balance: string;
  created_at: Date;
  last_event_at: Date | null;
  max_single_transfer: number | null;
  max_daily_spend: number | null;
  escalation_threshold: number | null;
  has_lists: boolean | null;
  reserved: string;
}

function viewOf(
  { id, state, paused, balance, created_at, last_event_at, has_lists, reserved, ...row }: AccountRow,
  usage: Usage | undefined,
  sentByHour: number[],
): ListedAccountView {
  return {
    account_id: id,
    name: row.name,
    handle: row.handle,
    labels: row.labels,
    status: state === 'closed' ? 'closed' : paused ? 'paused' : 'active',
    balance_usdc: formatUsdc(BigInt(balance)),
    max_single_transfer: row.max_single_transfer,
    max_daily_spend: row.max_daily_spend,
    escalation_threshold: row.escalation_threshold,
    has_lists: has_lists ?? false,
    sent_usdc: formatUsdc(usage?.settledMicroUsdc ?? 0n),
    sent_by_hour: sentByHour,
    sent_count: usage?.settledCount ?? 0,
    declined_count: usage?.rejectedCount ?? 0,
    reserved_usdc: formatUsdc(BigInt(reserved)),
    last_activity_at: last_event_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
  };
}
