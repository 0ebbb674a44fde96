import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Test } from '@nestjs/testing';
import type { NestExpressApplication } from '@nestjs/platform-express';
import supertest from 'supertest';
import { DataSource } from 'typeorm';
import type { Chain } from '#chain';
import { newId } from '#database';
import { AppModule } from '../../apps/api/src/app.module';
import { KeySources } from '../../apps/api/src/key-sources';
import { configureApp } from '../../apps/api/src/http/configure-app';
import { JobsService } from '../../apps/api/src/jobs/jobs.service';
import { ApiKeysService } from '../../apps/api/src/keys/api-keys/api-keys.service';
import { readConfig } from '../../apps/api/src/runtime/config-loader';
import { DeliveryQueue } from '../../apps/api/src/webhooks/deliveries/delivery-queue';
import { FanOut } from '../../apps/api/src/webhooks/deliveries/fan-out';
import { testVariables } from '../support/app';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { measureStatements } from '../support/statement-buffers';

jest.setTimeout(600_000);

/** `scripts/bench/load-million.mjs --measure` sets both: a database that is loaded already, and what the loader printed of it. */
const { MEASURED_DATABASE_URL: loadedUrl, MEASURED_LOAD: printed } = process.env;
/** Transfers: twice as many ledger entries. */
const ROWS = 100_000;
const LOADER = join(__dirname, '..', '..', 'scripts', 'bench', 'load-million.mjs');
/** The most that a statement reads, at a million transfers as at the tenth of them that the test loads. */
const MAX_BUFFERS = 2_000;

interface Load {
  rows: number;
  operator: string;
  big: string;
  dormant: string[];
  busy: string[];
}

let created: TestDatabase | undefined;
let app: NestExpressApplication;
let load: Load;
let keys: Record<'operator' | 'dormant' | 'big' | 'busy', string>;
const table: { what: string; buffers: number; ms: number; text: string }[] = [];

beforeAll(async () => {
  created = loadedUrl ? undefined : await createTestDatabase();
  const url = loadedUrl ?? created?.url ?? '';
  load = JSON.parse(printed ?? (await loadInto(url))) as Load;
  const balances = new Map<string, bigint>();
  const config = readConfig({ ...testVariables(), DATABASE_URL: url });
  const module = await Test.createTestingModule({
    imports: [AppModule.for(config, { chain: fakeChain(balances), keySources: new KeySources({}) })],
  }).compile();
  app = configureApp(module.createNestApplication<NestExpressApplication>({ bodyParser: false, logger: false }));
  await app.listen(0, '127.0.0.1');
  for (const { token, net } of await balancesOf(app.get(DataSource))) balances.set(token, BigInt(net));
  const create = async (accountIds?: string[]): Promise<string> => {
    const body = accountIds ? ({ type: 'agent', account_ids: accountIds } as const) : ({ type: 'operator' } as const);
    const service = app.get(ApiKeysService);
    return (
      await app.get(DataSource).transaction((manager) => service.createWith(manager, { operatorId: load.operator, type: 'service' }, body))
    ).key;
  };
  keys = {
    operator: await create(),
    dormant: await create(load.dormant),
    big: await create([load.big]),
    busy: await create(load.busy.slice(0, 100)),
  };
});
afterAll(async () => {
  await app?.close();
  await created?.drop();
  if (loadedUrl) process.stdout.write(`${JSON.stringify(table)}\n`);
});

async function loadInto(url: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [LOADER, '--rows', String(ROWS)], {
    env: { ...process.env, DATABASE_URL: url },
  });
  return stdout;
}

/** The chain as it would be where it agrees with every ledger: what is measured is the database. */
function fakeChain(balances: ReadonlyMap<string, bigint>): Chain {
  const chain = {
    observe: () => undefined,
    identity: { genesisHash: 'genesis', cluster: 'localnet', programId: 'program', usdcMint: 'mint' },
    accounts: {
      balances: async (tokens: string[]) => tokens.map((token) => balances.get(token) ?? 0n),
      find: async () => null,
      findMany: async (addresses: string[]) => addresses.map(() => null),
    },
    policies: { findMany: async (addresses: string[]) => addresses.map(() => null) },
    clock: { now: async () => new Date() },
    history: { signaturesAfter: async () => [] },
    orders: { finalities: async (signatures: string[]) => signatures.map(() => 'finalized') },
  };
  return chain as unknown as Chain;
}

function balancesOf(database: DataSource): Promise<{ token: string; net: string }[]> {
  return database.query(`
    SELECT usdc_token_account AS token, COALESCE(entries.net, 0) - COALESCE(escrow.cap, 0) AS net FROM accounts
    LEFT JOIN (SELECT account_id, sum(CASE direction WHEN 'in' THEN micro_usdc ELSE -micro_usdc END) AS net FROM ledger_entries WHERE type <> 'rejection' GROUP BY 1) entries ON entries.account_id = accounts.id
    LEFT JOIN (SELECT account_id, sum(cap_micro_usdc) AS cap FROM sessions WHERE state IN ('open', 'closing') GROUP BY 1) escrow ON escrow.account_id = accounts.id`);
}

const get = async (path: string, key: keyof typeof keys = 'operator', rows?: number): Promise<void> => {
  const { status, body } = await supertest(app.getHttpServer()).get(path).set('Authorization', `Bearer ${keys[key]}`);
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
  if (rows !== undefined) expect((body as { data: unknown[] }).data).toHaveLength(rows);
};

/** Runs `work`, and expects that it sends statements and that each reads few buffers. */
async function expectFewBuffers(what: string, work: () => Promise<unknown>): Promise<void> {
  const measured = await measureStatements(work);
  expect(measured.length).toBeGreaterThan(0);
  const worst = measured.reduce((one, other) => (other.buffers > one.buffers ? other : one));
  table.push({ what, ...worst });
  if (!loadedUrl && worst.buffers > MAX_BUFFERS) throw new Error(`${worst.buffers} buffers, ${worst.ms} ms: ${worst.text}`);
}

const DAY_MS = 24 * 60 * 60_000;
const ago = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();
const absent = { account: newId('acct'), session: newId('sess'), purse: newId('purse') };

/** The filters of transfers: each alone, with values that many rows have, few old ones, and none. */
const TRANSFERS: [string, number?][] = [
  ['', 20],
  ['status=settled', 20],
  ['status=rejected', 20],
  ['status=failed', 3],
  ['status=pending_approval', 2],
  ['status=submitted', 1],
  ['idempotency_key=key-77', 1],
  ['idempotency_key=absent', 0],
  ['to=ACCOUNT'],
  ['to=absent', 0],
  ['category=data', 20],
  ['category=rare', 1],
  ['category=absent', 0],
  ['rejection_reason=max_daily_spend', 20],
  ['rejection_reason=denied', 1],
  ['rejection_reason=absent', 0],
  ['min_amount=0.000001', 20],
  ['min_amount=1000', 1],
  ['min_amount=100000', 0],
  ['reference=rare', 1],
  ['reference=absent', 0],
  [`since=${ago(0.01)}`],
  [`until=${ago(30.9)}`, 20],
  [`since=${ago(20)}&until=${ago(19)}`, 20],
  [`account_id=${absent.account}`, 0],
];
const RECORDS: [string, number?][] = [
  ['', 20],
  ['type=transfer', 20],
  ['type=deposit', 20],
  ['type=session_settlement', 20],
  ['type=rejection', 20],
  ['status=settled', 20],
  ['status=rejected', 20],
  ['category=rare', 2],
  ['category=absent', 0],
  ['counterparty=COUNTERPARTY'],
  ['counterparty=absent', 0],
  ['reference=rare', 2],
  ['reference=absent', 0],
  [`since=${ago(20)}&until=${ago(19)}`, 20],
  [`account_id=${absent.account}`, 0],
];
const PAYMENTS: [string, number?][] = [
  ['', 20],
  ['provider=api1.example.com', 20],
  ['provider=rare.example.com', 1],
  ['provider=absent.example.com', 0],
  ['status=paid', 20],
  ['status=unknown', 2],
  ['status=paid_unreceipted', 1],
  ['status=failed', 0],
  [`session_id=${absent.session}`, 0],
  [`purse_id=${absent.purse}`, 0],
  [`since=${ago(20)}&until=${ago(19)}`, 20],
];
const SESSIONS: [string, number?][] = ['open', 'closing', 'settled', 'opening', 'pending_approval', 'rejected', 'failed'].map((status) => [
  `status=${status}`,
]);
const PURSES: [string, number?][] = ['open', 'closing', 'closed', 'opening', 'pending_approval', 'rejected', 'failed'].map((status) => [
  `status=${status}`,
]);
const LISTS: Record<string, [string, number?][]> = {
  transfers: TRANSFERS,
  transactions: RECORDS,
  payments: PAYMENTS,
  sessions: [[''], ...SESSIONS],
  purses: [[''], ...PURSES],
};
const everyList = Object.entries(LISTS).flatMap(([list, filters]) => filters.map(([filter, rows]) => [list, filter, rows] as const));
const fill = (filter: string): string => filter.replace('COUNTERPARTY', load.busy[50] ?? '').replace('ACCOUNT', load.busy[50] ?? '');

describe('each statement of a list reads few buffers', () => {
  test.each(everyList)('GET /v1/%s?%s of an operator', async (list, filter, rows) => {
    await expectFewBuffers(`${list}?${filter}`, () => get(`/v1/${list}?${fill(filter)}`, 'operator', rows));
  });

  test.each(everyList)('GET /v1/%s?%s of one account that has a fifth of the rows', async (list, filter) => {
    if (filter.startsWith('account_id')) return;
    await expectFewBuffers(`${list}?account_id=big&${filter}`, () => get(`/v1/${list}?account_id=${load.big}&${fill(filter)}`));
  });

  test.each(everyList)('GET /v1/%s?%s of one account that has a twentieth of the rows, all of one kind', async (list, filter) => {
    if (filter.startsWith('account_id')) return;
    await expectFewBuffers(`${list}?account_id=steady&${filter}`, () => get(`/v1/${list}?account_id=${load.busy[0]}&${fill(filter)}`));
  });

  test.each(everyList)('GET /v1/%s?%s by an agent key of 100 dormant accounts', async (list, filter) => {
    await expectFewBuffers(`${list}?${filter} (dormant)`, () => get(`/v1/${list}?${fill(filter)}`, 'dormant'));
  });

  test.each(everyList)('GET /v1/%s?%s by an agent key of 100 busy accounts', async (list, filter) => {
    await expectFewBuffers(`${list}?${filter} (busy)`, () => get(`/v1/${list}?${fill(filter)}`, 'busy'));
  });

  test.each([
    'accounts',
    'accounts?status=paused',
    'accounts?status=active',
    'accounts?name=agent%201',
    'accounts?name=absent',
    'events',
    'events?type=transfer.settled',
    'events?type=session.cap_reached',
    'events?type=purse.closed',
    'events?account_id=BIG',
    'events?account_id=BIG&type=session.cap_reached',
    'events?account_id=BIG&type=purse.closed',
    `events?since=${ago(0.01)}`,
    'webhooks',
    'providers',
    'api_keys',
    'accounts/BIG/transactions',
    'accounts/BIG/transactions?type=deposit',
    'accounts/BIG/transactions?type=session_settlement',
    'accounts/BIG/transactions?status=rejected',
    'accounts/BIG/transactions?status=settled',
    `accounts/BIG/transactions?until=${ago(30.9)}`,
    'accounts/DORMANT/transactions?status=rejected',
    'accounts/DORMANT/transactions?type=deposit',
  ])('GET /v1/%s', async (path) => {
    await expectFewBuffers(path, () => get(`/v1/${path.replace('BIG', load.big).replace('DORMANT', load.dormant[7] ?? '')}`));
  });

  test.each(['', 'status=delivered', 'status=pending', 'status=undelivered'])('GET /v1/webhooks/:id/deliveries?%s', async (filter) => {
    const webhooks = await app.get(DataSource).query('SELECT webhook_id AS id FROM webhook_deliveries GROUP BY 1 ORDER BY count(*) DESC');
    for (const { id } of [webhooks.at(0), webhooks.at(-1)])
      await expectFewBuffers(`deliveries?${filter}`, () => get(`/v1/webhooks/${id}/deliveries?${filter}`));
  });

  test('a page of an export as CSV', async () => {
    await expectFewBuffers('CSV of one account', () => csv(`account_id=${load.busy[3]}`));
    await expectFewBuffers('CSV of dormant accounts', () => csv('', 'dormant'));
    await expectFewBuffers('CSV of a rare category', () => csv('category=rare'));
    await expectFewBuffers('CSV of a day', () => csv(`since=${ago(20)}&until=${ago(19.9)}`));
  });
});

async function csv(filter: string, key: keyof typeof keys = 'operator'): Promise<void> {
  await supertest(app.getHttpServer())
    .get(`/v1/transactions?${filter}`)
    .set('Authorization', `Bearer ${keys[key]}`)
    .set('Accept', 'text/csv')
    .expect(200);
}

describe('each statement of a view reads few buffers', () => {
  const groups = ['account', 'provider', 'category', 'day', 'rejection_reason'];
  test.each(groups)('GET /v1/usage?group_by=%s', async (group) => {
    for (const [what, filter] of [
      ['all', ''],
      ['30 days', `&since=${ago(30)}`],
      ['7 days', `&since=${ago(7)}`],
      ['24 hours', `&since=${ago(1)}`],
      ['a day', `&since=${ago(20)}&until=${ago(19)}`],
      ['big account', `&account_id=${load.big}`],
      ['big account, 7 days', `&account_id=${load.big}&since=${ago(7)}`],
      ['absent account', `&account_id=${absent.account}`],
    ])
      await expectFewBuffers(`usage by ${group}, ${what}`, () => get(`/v1/usage?group_by=${group}${filter}`));
  });

  test.each([
    'overview',
    'approvals',
    'webhooks',
    'decisions',
    'accounts',
    'accounts/BIG',
    'key_names',
    'payments?category=inference',
    'search?q=agent',
    'search?q=key-77',
    'search?q=invoice-78',
    'search?q=COUNTERPARTY',
    'search?q=api1.example.com',
    'search?q=0.05',
    'search?q=absent',
  ])('GET /dashboard/data/%s', async (view) => {
    await expectFewBuffers(`dashboard ${view}`, () => get(`/dashboard/data/${fill(view.replace('BIG', load.big))}`));
  });
});

describe('each statement of a job reads few buffers', () => {
  const JOBS = [
    'deposits',
    'ledger-sums',
    'table-statistics',
    'event-retention',
    'push-notifications',
    'transfer-recovery',
    'approval-expiry',
    'session-settlement',
    'purse-closing',
    'charge-endings',
    'payment-recovery',
    'payment-answers',
    'account-creation',
    'account-closing',
    'authority-rotation',
    'operator-rotation',
    'signature-retention',
    'bulk-retention',
    'fleet-creation',
    'channel-purses',
    'channel-sellers',
    'account-finality',
    'arrival-finality',
    'order-finality',
    'payment-finality',
    'purse-finality',
    'session-finality',
    'audit-heads',
    'reconciliation',
  ];
  /** They read the chain alone, or nothing of this size. */
  const OTHERS = ['fee-payer', 'stale-drafts', 'surplus-rent'];

  test.each(JOBS)('the job %s', async (name) => {
    await expectFewBuffers(`job ${name}`, async () => app.get(JobsService).find(name)?.run());
  });

  test('the fan-out of events, and the claim of deliveries', async () => {
    await expectFewBuffers('fan-out', () => app.get(FanOut).run());
    await expectFewBuffers('claim of deliveries', () => app.get(DeliveryQueue).claim({ limit: 100, available: {}, initial: 10 }));
  });

  test('the jobs above are all that there are', () => {
    const names = app
      .get(JobsService)
      .all()
      .map(({ name }) => name);
    expect(names.toSorted()).toEqual([...JOBS, ...OTHERS].toSorted());
  });
});
