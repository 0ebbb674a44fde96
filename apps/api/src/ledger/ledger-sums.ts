import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { execute, join, runPrepared, type Sql, sql, words } from '#database';
import { InvalidRequest } from '../http/domain.errors';
import { JobsService } from '../jobs/jobs.service';
import { ArchivedMonths } from './archived-months';
import { isCutInArchive, sourcesOf, stretchesOf, type UsageGroup, type UsageScope } from './usage-sources';

const FOLD_EVERY_MS = 1_000;
/** Notes that one statement folds, and statements of one run. */
const FOLD_BATCH = 5_000;
const MAX_FOLDS = 20;
/** PostgreSQL plans the statements of the function at each call, so that it is called only if there is something to fold. */
const FOLD = 'SELECT fold_ledger_entries($1) AS folded WHERE EXISTS (SELECT FROM unsummed_ledger_entries)';

/** The records of one group that left an account, or were declined. */
export interface Usage {
  group: string | null;
  settledMicroUsdc: bigint;
  settledCount: number;
  rejectedCount: number;
}

/** The records of some groups, and of all groups together, those beyond the limit included. */
export interface GroupedUsage {
  groups: Usage[];
  total: Omit<Usage, 'group'>;
}

/** The amounts of an operator in an hour or a day. Session settlements of zero are not counted. */
export interface SpanOfUsage {
  /** When it begins. */
  at: Date;
  settledMicroUsdc: bigint;
  settledCount: number;
  declinedMicroUsdc: bigint;
  declinedCount: number;
}

/** The amount that left an account in an hour. */
export interface AccountHour {
  accountId: string;
  hour: Date;
  sentMicroUsdc: bigint;
}

const NO_USAGE: GroupedUsage['total'] = { settledMicroUsdc: 0n, settledCount: 0, rejectedCount: 0 };

/** A day is one of UTC, by the time that a record was written. */
const GROUPS: Record<UsageGroup, Sql> = {
  account: sql`account_id`,
  provider: sql`provider`,
  category: sql`category`,
  day: sql`to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
  rejection_reason: sql`rejection_reason`,
};

/**
 * Sums of the ledger by hour, day and month of UTC: of each account, and of all accounts of an operator. A sum and the entries that are not
 * folded into it yet are read by one statement, so that every answer is exactly that of the ledger. What is read grows with the number of
 * sums: spans, times accounts or combinations of type, provider, category and reason. It does not grow with the number of entries.
 *
 * - `ledger_sums`: what left the accounts and what was declined, by type, provider, category and reason; `account_id` is null in the sums of
 *   all accounts. A row is a `span` ('hour', 'day' or 'month') that begins at `starts_at`. `nonzero_entries` leaves session settlements of zero out.
 * - `ledger_account_sums`: the same by account alone, one narrow row an account and span: for all accounts of an operator at once.
 * - `ledger_account_nets`: what an account received less what left it, by month.
 * - `unsummed_ledger_entries`: written by a trigger with each entry, emptied by the job `ledger-sums`. An entry that a repair by hand removes is
 *   noted as a negative one.
 */
@Injectable()
export class LedgerSums implements OnModuleInit {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly jobs: JobsService,
    private readonly archived: ArchivedMonths,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'ledger-sums', everyMs: FOLD_EVERY_MS, run: () => this.fold() });
  }

  /** Folds the entries that were written since the last run, up to the bound of one run. The next run folds what is left. */
  async fold(): Promise<void> {
    for (let count = 0; count < MAX_FOLDS; count++) {
      const [row] = await runPrepared(this.database, FOLD, [FOLD_BATCH]);
      if (Number(row?.folded ?? 0) < FOLD_BATCH) return;
    }
  }

  /**
   * The amounts that left the accounts, and the declined ones, by group: the greatest amount first, a day the newest first. Each record is in one
   * group; a group is null if its records have none. At most `limit` groups. Whole months, days and hours are read from sums, the rest of
   * an hour from the entries, so that both moments are exact to the millisecond.
   * @throws InvalidRequest for a moment within an hour whose entries are archived
   */
  async usage(scope: UsageScope, { groupBy, limit }: { groupBy: UsageGroup; limit: number }): Promise<GroupedUsage> {
    const longest = groupBy === 'day' ? 'day' : 'month';
    const archivedEnd = await this.archived.end();
    for (const field of ['since', 'until'] as const)
      if (isCutInArchive(scope[field], archivedEnd))
        throw InvalidRequest.field(field, 'must begin an hour: the records of its month are archived');
    const sources = stretchesOf(scope, longest, archivedEnd).flatMap((stretch) => sourcesOf(scope, groupBy, stretch));
    if (sources.length === 0) return { groups: [], total: NO_USAGE };
    const rows = await execute(
      this.database,
      sql`SELECT ${GROUPS[groupBy]} AS usage_group, COALESCE(sum(micro_usdc) FILTER (WHERE type <> 'rejection'), 0)::text AS settled,
                 COALESCE(sum(entries) FILTER (WHERE type <> 'rejection'), 0)::int AS settled_count,
                 COALESCE(sum(entries) FILTER (WHERE type = 'rejection'), 0)::int AS rejected_count,
                 COALESCE(sum(sum(micro_usdc) FILTER (WHERE type <> 'rejection')) OVER (), 0)::text AS all_settled,
                 COALESCE(sum(sum(entries) FILTER (WHERE type <> 'rejection')) OVER (), 0)::int AS all_settled_count,
                 COALESCE(sum(sum(entries) FILTER (WHERE type = 'rejection')) OVER (), 0)::int AS all_rejected_count
          FROM (${join(sources, ' UNION ALL ')}) AS entry
          GROUP BY 1 HAVING sum(entries) > 0
          ORDER BY ${groupBy === 'day' ? sql`1 DESC` : sql`sum(micro_usdc) FILTER (WHERE type <> 'rejection') DESC NULLS LAST, 4 DESC, 1`}
          LIMIT ${limit}`,
    );
    const groups = rows.map(({ usage_group: group, settled, settled_count, rejected_count }) => ({
      group: group === null ? null : String(group),
      settledMicroUsdc: BigInt(String(settled)),
      settledCount: Number(settled_count),
      rejectedCount: Number(rejected_count),
    }));
    const [first] = rows;
    const total = first && {
      settledMicroUsdc: BigInt(String(first.all_settled)),
      settledCount: Number(first.all_settled_count),
      rejectedCount: Number(first.all_rejected_count),
    };
    return { groups, total: total ?? NO_USAGE };
  }

  /**
   * The amounts that left the accounts of an operator, and the declined ones, in each hour or day of UTC from `since`, which begins one. Spans
   * without any are missing.
   */
  async spans(operatorId: string, span: 'hour' | 'day', since: Date): Promise<SpanOfUsage[]> {
    const rows = await execute(
      this.database,
      sql`SELECT at, COALESCE(sum(micro_usdc) FILTER (WHERE type <> 'rejection'), 0)::text AS settled,
                 COALESCE(sum(entries) FILTER (WHERE type <> 'rejection'), 0)::int AS settled_count,
                 COALESCE(sum(micro_usdc) FILTER (WHERE type = 'rejection'), 0)::text AS declined,
                 COALESCE(sum(entries) FILTER (WHERE type = 'rejection'), 0)::int AS declined_count FROM (
            SELECT starts_at AS at, type, micro_usdc, CASE type WHEN 'rejection' THEN entries ELSE nonzero_entries END AS entries FROM ledger_sums
            WHERE operator_id = ${operatorId} AND account_id IS NULL AND span = ${words([span])} AND starts_at >= ${since}
            UNION ALL
            SELECT date_trunc(${words([span])}, created_at, 'UTC'), type, micro_usdc, entries FROM unsummed_ledger_entries
            WHERE operator_id = ${operatorId} AND created_at >= ${since} AND direction = 'out'
              AND (micro_usdc <> 0 OR type = 'rejection')) AS entry
          GROUP BY 1 HAVING sum(entries) > 0 ORDER BY 1`,
    );
    return rows.map(({ at, settled, settled_count, declined, declined_count }) => ({
      at: at as Date,
      settledMicroUsdc: BigInt(String(settled)),
      settledCount: Number(settled_count),
      declinedMicroUsdc: BigInt(String(declined)),
      declinedCount: Number(declined_count),
    }));
  }

  /** The amounts that left each account of an operator in each hour from `since`, which begins one. Hours without any are missing. */
  async hoursByAccount(operatorId: string, since: Date): Promise<AccountHour[]> {
    const rows = await execute(
      this.database,
      sql`SELECT account_id, at, sum(micro_usdc)::text AS sent FROM (
            SELECT account_id, starts_at AS at, sent_micro_usdc AS micro_usdc FROM ledger_account_sums
            WHERE operator_id = ${operatorId} AND span = 'hour' AND starts_at >= ${since}
            UNION ALL
            SELECT account_id, date_trunc('hour', created_at, 'UTC'), micro_usdc FROM unsummed_ledger_entries
            WHERE operator_id = ${operatorId} AND created_at >= ${since} AND direction = 'out' AND type <> 'rejection') AS entry
          GROUP BY 1, 2 HAVING sum(micro_usdc) > 0`,
    );
    return rows.map(({ account_id, at, sent }) => ({
      accountId: String(account_id),
      hour: at as Date,
      sentMicroUsdc: BigInt(String(sent)),
    }));
  }

  /**
   * The net amount of each account, received less sent, in micro-USDC: the sum of its ledger. An account without entries is missing. Call it in
   * the transaction whose snapshot it belongs to.
   */
  async net(accountIds: string[], manager: EntityManager): Promise<Map<string, bigint>> {
    const rows: { account_id: string; net: string }[] = await manager.query(
      `SELECT account_id, sum(net)::text AS net FROM (
         SELECT account_id, net_micro_usdc AS net FROM ledger_account_nets WHERE account_id = ANY($1)
         UNION ALL
         SELECT account_id, CASE direction WHEN 'in' THEN micro_usdc ELSE -micro_usdc END FROM unsummed_ledger_entries
         WHERE account_id = ANY($1) AND type <> 'rejection') AS entry
       GROUP BY account_id`,
      [accountIds],
    );
    return new Map(rows.map(({ account_id, net }) => [account_id, BigInt(net)]));
  }

  /** The net amount of an account, received less sent, when a month began, in micro-USDC. */
  async netBefore(accountId: string, month: Date): Promise<bigint> {
    const [row] = await execute(
      this.database,
      sql`SELECT COALESCE(sum(net), 0)::text AS net FROM (
            SELECT net_micro_usdc AS net FROM ledger_account_nets WHERE account_id = ${accountId} AND month < ${month}
            UNION ALL
            SELECT CASE direction WHEN 'in' THEN micro_usdc ELSE -micro_usdc END FROM unsummed_ledger_entries
            WHERE account_id = ${accountId} AND type <> 'rejection' AND created_at < ${month}) AS entry`,
    );
    return BigInt(String(row?.net ?? 0));
  }
}
