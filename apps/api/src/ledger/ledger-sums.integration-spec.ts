import type { DataSource } from 'typeorm';
import { createDataSource, firstIdAt, newId } from '#database';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database';
import { JobsService } from '../jobs/jobs.service';
import { ArchivedMonths } from './archived-months';
import { LedgerSums } from './ledger-sums';
import { SumsComparison } from './sums-comparison';
import { stretchesOf, USAGE_GROUP_NAMES, type UsageGroup, type UsageScope } from './usage-sources';
import { insertAccount, insertOperator } from '../../../../test/support/accounts';

const HOUR_MS = 60 * 60_000;
/** Two days before the end of a month. */
const START = Date.UTC(2026, 0, 30);
const DAYS = 4;

let testDatabase: TestDatabase;
let database: DataSource;
let sums: LedgerSums;
let comparison: SumsComparison;
const operator = newId('op');
const accounts = Array.from({ length: 6 }, () => newId('acct'));

beforeEach(async () => {
  testDatabase = await createMigratedDatabase();
  database = createDataSource({ url: testDatabase.url, applicationName: 'sums test' });
  await database.initialize();
  sums = new LedgerSums(database, new JobsService(), new ArchivedMonths(database));
  comparison = new SumsComparison(database, new ArchivedMonths(database));
  await insertOperator(database, operator);
  for (const id of accounts) await insertAccount(database, { id, operatorId: operator });
});
afterEach(async () => {
  await database.destroy();
  await testDatabase.drop();
});

let inserted = 0;

interface Entry {
  account: string;
  type?: string;
  direction?: 'in' | 'out';
  at: Date;
  microUsdc: number;
  provider?: string | null;
  category?: string | null;
  reason?: string | null;
}

function insert(entries: Entry[]): Promise<unknown> {
  return database.query(
    `INSERT INTO ledger_entries (id, operator_id, account_id, type, direction, micro_usdc, provider, category, rejection_reason, created_at, settled_at)
     SELECT id, $1, account, type, direction, amount, provider, category, reason, at, CASE WHEN reason IS NULL THEN at END
     FROM jsonb_to_recordset($2) AS entry (id text, account text, type text, direction text, amount bigint, provider text, category text, reason text, at timestamptz)`,
    [
      operator,
      JSON.stringify(
        entries.map(({ microUsdc: amount, at, type = 'transfer', direction = 'out', ...entry }) => ({
          // Ids are of the time of their entry, as the service makes them.
          id: firstIdAt('txn', at).slice(0, -8) + String(inserted++).padStart(8, '0'),
          type: entry.reason ? 'rejection' : type,
          direction,
          amount,
          at,
          ...entry,
        })),
      ),
    ],
  );
}

/** Deterministic entries over some days, on and around the boundaries of hours and days. */
function entriesOf(seed: number, count: number): Entry[] {
  const pick = <T>(values: readonly T[], index: number): T => values[index % values.length] as T;
  return Array.from({ length: count }, (_, index) => {
    const number = (index * 7919 + seed * 104_729) % 1_000_003;
    const onBoundary = index % 5 === 0;
    const hour = START + (number % (DAYS * 24)) * HOUR_MS;
    return {
      account: pick(accounts, number),
      at: new Date(onBoundary ? hour - (index % 3) + 1 : hour + (number % HOUR_MS)),
      microUsdc: number % 11 === 0 ? 0 : number,
      direction: index % 4 === 3 ? ('in' as const) : ('out' as const),
      type: number % 11 === 0 ? 'session_settlement' : 'transfer',
      provider: pick([null, 'https://one.example.com', 'https://two.example.com'], number),
      category: pick([null, 'data', 'search'], index),
      reason: index % 4 !== 3 && index % 7 === 0 ? pick(['paused', 'max_daily_spend'], index) : null,
    };
  });
}

const EXPRESSIONS: Record<UsageGroup, string> = {
  account: 'account_id',
  provider: 'provider',
  category: 'category',
  day: `to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
  rejection_reason: 'rejection_reason',
};

/** Usage by the entries alone. */
function fromEntries({ accountIds, since, until }: UsageScope, groupBy: UsageGroup): Promise<unknown[]> {
  return database.query(
    `SELECT ${EXPRESSIONS[groupBy]} AS "group", COALESCE(sum(micro_usdc) FILTER (WHERE type <> 'rejection'), 0)::text AS settled,
            (count(*) FILTER (WHERE type <> 'rejection'))::int AS count, (count(*) FILTER (WHERE type = 'rejection'))::int AS rejected
     FROM ledger_entries WHERE direction = 'out' AND ($1::text[] IS NULL OR account_id = ANY($1)) AND ($2::timestamptz IS NULL OR created_at > $2)
       AND ($3::timestamptz IS NULL OR created_at <= $3) GROUP BY 1 ORDER BY 1`,
    [accountIds, since, until],
  );
}

async function fromSums(scope: UsageScope, groupBy: UsageGroup): Promise<unknown[]> {
  const { groups } = await sums.usage(scope, { groupBy, limit: 1_000 });
  const rows = groups.map(({ group, settledMicroUsdc, settledCount, rejectedCount }) => ({
    group,
    settled: settledMicroUsdc.toString(),
    count: settledCount,
    rejected: rejectedCount,
  }));
  return rows.toSorted((one, other) => ((one.group ?? '~') < (other.group ?? '~') ? -1 : 1));
}

/** Moments on, before and after the boundaries of hours and days. */
const MOMENTS = [
  0,
  1,
  -1,
  HOUR_MS,
  HOUR_MS + 1,
  90 * 60_000,
  5 * HOUR_MS - 1,
  24 * HOUR_MS,
  25 * HOUR_MS + 7,
  60 * HOUR_MS,
  72 * HOUR_MS,
  95 * HOUR_MS,
].map((offset) => new Date(START + offset));

test('usage from sums equals usage from entries between any two moments, for each group, folded or not', async () => {
  await insert(entriesOf(1, 600));
  await sums.fold();
  await insert(entriesOf(2, 300));
  for (const since of [null, ...MOMENTS])
    for (const until of [null, ...MOMENTS.filter((moment) => !since || moment > since)])
      for (const [index, groupBy] of USAGE_GROUP_NAMES.entries()) {
        const scope = { operatorId: operator, accountIds: index % 2 === 0 ? null : accounts.slice(1, 3), since, until };
        expect([scope, groupBy, await fromSums(scope, groupBy)]).toEqual([scope, groupBy, await fromEntries(scope, groupBy)]);
      }
});

test('each stretch of time is read from one source, and whole months, days and hours from sums', () => {
  const stretches = stretchesOf({ since: new Date(START + 90 * 60_000), until: new Date(START + 50 * HOUR_MS + 5) });
  expect(stretches.map(({ source, from, to }) => [source, (from?.getTime() ?? 0) - START, (to?.getTime() ?? 0) - START])).toEqual([
    ['entries', 90 * 60_000 + 1, 2 * HOUR_MS],
    ['hour', 2 * HOUR_MS, 24 * HOUR_MS],
    ['day', 24 * HOUR_MS, 48 * HOUR_MS],
    ['hour', 48 * HOUR_MS, 50 * HOUR_MS],
    ['entries', 50 * HOUR_MS, 50 * HOUR_MS + 6],
  ]);
  expect(stretchesOf({ since: null, until: null })).toEqual([{ source: 'month', from: null, to: null }]);
  const long = stretchesOf({ since: null, until: new Date(Date.UTC(2026, 2, 2) - 1) });
  expect(long.map(({ source, to }) => [source, to])).toEqual([
    ['month', new Date(Date.UTC(2026, 2, 1))],
    ['day', new Date(Date.UTC(2026, 2, 2))],
  ]);
});

test('the hours of the dashboard have declines apart, and leave out incoming amounts and settlements of zero', async () => {
  const at = new Date(START + 30 * 60_000);
  const [account = ''] = accounts;
  await insert([
    { account, at, microUsdc: 5 },
    { account, at, microUsdc: 0, type: 'session_settlement' },
    { account, at, microUsdc: 7, reason: 'paused' },
    { account, at, microUsdc: 9, direction: 'in' },
  ]);
  const expected = [{ at: new Date(START), settledMicroUsdc: 5n, settledCount: 1, declinedMicroUsdc: 7n, declinedCount: 1 }];
  const ofAccount = [{ accountId: account, hour: new Date(START), sentMicroUsdc: 5n }];
  for (let folds = 0; folds < 2; folds++) {
    for (const span of ['hour', 'day'] as const) expect(await sums.spans(operator, span, new Date(START))).toEqual(expected);
    expect(await sums.hoursByAccount(operator, new Date(START))).toEqual(ofAccount);
    await sums.fold();
  }
});

test('sums equal the ledger after concurrent entries of both directions, folds and repairs by hand, without a deadlock', async () => {
  const failures: unknown[] = [];
  const work = Array.from({ length: 40 }, async (_, index) => {
    await insert(entriesOf(index, 60));
    if (index % 4 === 0) await sums.fold();
    if (index % 10 === 0)
      await database.query('DELETE FROM ledger_entries WHERE id IN (SELECT id FROM ledger_entries LIMIT 5 FOR UPDATE SKIP LOCKED)');
    if (index % 10 === 5)
      await database.query(
        'UPDATE ledger_entries SET micro_usdc = micro_usdc + 3 WHERE id IN (SELECT id FROM ledger_entries LIMIT 5 FOR UPDATE SKIP LOCKED)',
      );
  });
  for (const outcome of await Promise.allSettled(work)) if (outcome.status === 'rejected') failures.push(outcome.reason);
  expect(failures).toEqual([]);
  expect(await comparison.wrong(accounts)).toEqual([]);
  await sums.fold();
  expect(await database.query('SELECT 1 FROM unsummed_ledger_entries')).toEqual([]);
  expect(await comparison.wrong(accounts)).toEqual([]);
  const entries: { account_id: string; net: string }[] = await database.query(
    `SELECT account_id, sum(CASE direction WHEN 'in' THEN micro_usdc ELSE -micro_usdc END)::text AS net FROM ledger_entries WHERE type <> 'rejection' GROUP BY 1`,
  );
  expect(await sums.net(accounts, database.manager)).toEqual(new Map(entries.map(({ account_id, net }) => [account_id, BigInt(net)])));
});

test('the account whose sums differ from its entries is named', async () => {
  const [account = '', other = ''] = accounts;
  const at = new Date(START);
  await insert([account, other].map((each) => ({ account: each, at, microUsdc: 5 })));
  await sums.fold();
  await database.query('UPDATE ledger_sums SET micro_usdc = 6 WHERE account_id = $1', [account]);
  await database.query('UPDATE ledger_account_nets SET net_micro_usdc = 1 WHERE account_id = $1', [other]);
  expect(await comparison.wrong(accounts)).toEqual([account, other].toSorted());
  await database.query('SELECT rebuild_ledger_sums()');
  expect(await comparison.wrong(accounts)).toEqual([]);
});
