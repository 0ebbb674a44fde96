import { DataSource } from 'typeorm';
import { createDataSource, firstIdAt, newId } from '#database';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database';
import { anAccount } from '../accounts/account.builder';
import { ArchivedMonths, LedgerSums } from '../ledger';
import { LedgerEntry } from '../ledger/ledger-entry.entity';
import { LedgerService } from '../ledger/ledger.service';
import { JobsService } from '../jobs/jobs.service';
import { RecordFiles } from './records/record-files';
import { StatementsService } from './statements.service';
import type { StatementView } from './statements.dto';
import { insertAccount, insertOperator } from '../../../../test/support/accounts';

let testDatabase: TestDatabase;
let database: DataSource;
let sums: LedgerSums;
let statements: StatementsService;
let now: Date;
const operator = newId('op');
const account = anAccount({ id: newId('acct'), operatorId: operator, state: 'closed' });

beforeAll(async () => {
  testDatabase = await createMigratedDatabase();
  database = createDataSource({ url: testDatabase.url, applicationName: 'statements test', entities: [LedgerEntry] });
  await database.initialize();
  await insertOperator(database, operator);
  await insertAccount(database, { id: account.id, operatorId: operator, state: 'closed' });
  const clock = { now: () => now };
  sums = new LedgerSums(database, new JobsService(), new ArchivedMonths(database));
  const fees = { of: () => Promise.resolve({ lamports: 20_000n, transactions: 2 }), bySignature: () => Promise.resolve(() => null) };
  const fakes = [
    {},
    { findEver: () => Promise.resolve(account) },
    {
      labelsOf: () => Promise.resolve(new Map([[account.id, ['team:a', 'test']]])),
      namesOf: () => Promise.resolve(new Map([[account.id, { name: 'Payer' }]])),
    },
    {},
    {},
    new LedgerService(database, clock),
    sums,
    new ArchivedMonths(database),
    fees,
    new RecordFiles(fees as never),
    { transaction: (signature: string) => signature },
  ];
  statements = new StatementsService(clock, ...(fakes as [never, never, never, never, never, never, never, never, never, never, never]));
});
afterAll(async () => {
  await database.destroy();
  await testDatabase.drop();
});

let inserted = 0;

async function enter(at: string, direction: 'in' | 'out', microUsdc: number, type = 'transfer'): Promise<void> {
  const moment = new Date(at);
  await database.query(
    `INSERT INTO ledger_entries (id, operator_id, account_id, type, direction, micro_usdc, created_at, settled_at, rejection_reason)
     VALUES ($1, $2, $3, $4, $5, $6, $7, CASE WHEN $4 <> 'rejection' THEN $7::timestamptz END, CASE WHEN $4 = 'rejection' THEN 'paused' END)`,
    [firstIdAt('txn', moment).slice(0, -8) + String(inserted++).padStart(8, '0'), operator, account.id, type, direction, microUsdc, moment],
  );
}

async function textOf(chunks: AsyncGenerator<string>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  return text;
}

const statement = async (month?: string): Promise<StatementView> => JSON.parse(await textOf(statements.json(operator, account.id, month)));

test('a statement has what moved money from the first to the last millisecond of its month, folded into sums or not', async () => {
  await enter('2026-01-31T23:59:59.999Z', 'in', 10_000_000, 'deposit');
  await enter('2026-02-01T00:00:00.000Z', 'out', 1_000_001);
  await enter('2026-02-10T12:00:00.000Z', 'out', 7_000_000, 'rejection');
  await enter('2026-02-28T23:59:59.999Z', 'in', 500_000);
  await enter('2026-03-01T00:00:00.000Z', 'out', 2_000_000);
  now = new Date('2026-03-05T00:00:00.000Z');
  const february = {
    account_id: account.id,
    month: '2026-02',
    from: '2026-02-01T00:00:00.000Z',
    to: '2026-03-01T00:00:00.000Z',
    complete: true,
    opening_balance_usdc: '10.000000',
    in_usdc: '0.500000',
    out_usdc: '1.000001',
    fees: { lamports: 20_000, transactions: 2 },
    closing_balance_usdc: '9.499999',
    held_usdc: null,
  };
  for (const fold of [false, true]) {
    if (fold) await sums.fold();
    const { records, ...rest } = await statement('2026-02');
    expect(rest).toEqual(february);
    expect(records.map(({ amount_usdc, direction }) => [direction, amount_usdc])).toEqual([
      ['out', '1.000001'],
      ['in', '0.500000'],
    ]);
    expect(await statement('2026-01')).toMatchObject({ opening_balance_usdc: '0.000000', closing_balance_usdc: '10.000000' });
    expect(await statement('2026-03')).toMatchObject({
      opening_balance_usdc: '9.499999',
      closing_balance_usdc: '7.499999',
      complete: false,
    });
  }
});

test('a statement is complete a quarter of an hour after its month', async () => {
  now = new Date('2026-03-01T00:14:59.999Z');
  expect((await statement('2026-02')).complete).toBe(false);
  now = new Date('2026-03-01T00:15:00.000Z');
  expect((await statement('2026-02')).complete).toBe(true);
});

test('a statement of a month before the account has only zeros', async () => {
  expect(await statement('2020-02')).toMatchObject({
    records: [],
    opening_balance_usdc: '0.000000',
    closing_balance_usdc: '0.000000',
    complete: true,
  });
});

test('a statement as CSV begins with the opening and ends with the closing balance, with the balance after each record', async () => {
  now = new Date('2026-03-05T00:00:00.000Z');
  const lines = (await textOf(statements.csv(operator, account.id, '2026-02'))).split('\r\n');
  const [header = '', ...rows] = lines.slice(0, -1).map((line) => line.split(','));
  expect(rows.map((row) => [row[header.indexOf('type')], row[header.indexOf('labels')], row[header.indexOf('balance_usdc')]])).toEqual([
    ['opening', '', '10.000000'],
    ['transfer', 'team:a test', '8.999999'],
    ['transfer', 'team:a test', '9.499999'],
    ['closing', '', '9.499999'],
  ]);
  expect(rows.map((row) => [row[header.indexOf('account_name')], row[header.indexOf('signed_amount_usdc')]])).toEqual([
    ['', ''],
    ['Payer', '-1.000001'],
    ['Payer', '0.500000'],
    ['', ''],
  ]);
  expect(rows[0]?.filter((cell) => cell !== '')).toEqual(['opening', '10.000000']);
});

test('a statement with more records than a page has all of them, once', async () => {
  for (let index = 0; index < 1_001; index++) await enter(`2026-04-02T00:00:00.${String(index % 1_000).padStart(3, '0')}Z`, 'in', 1);
  now = new Date('2026-06-01T00:00:00.000Z');
  const { records, in_usdc } = await statement('2026-04');
  expect([new Set(records.map(({ id }) => id)).size, in_usdc]).toEqual([1_001, '0.001001']);
});

test('the balance of a statement is never below zero where a deposit was written after it had been spent, in one millisecond or later', async () => {
  await enter('2026-05-01T10:00:00.000Z', 'out', 9_000_000);
  await enter('2026-05-01T10:00:00.000Z', 'in', 20_000_000);
  await enter('2026-05-01T10:00:01.000Z', 'out', 20_000_000);
  await enter('2026-05-01T10:00:09.000Z', 'in', 30_000_000, 'deposit');
  now = new Date('2026-06-05T00:00:00.000Z');
  const { records, opening_balance_usdc, closing_balance_usdc } = await statement('2026-05');
  expect([opening_balance_usdc, closing_balance_usdc, records.map(({ direction, amount_usdc }) => [direction, amount_usdc])]).toEqual([
    '7.501000',
    '28.501000',
    [
      ['in', '20.000000'],
      ['out', '9.000000'],
      ['in', '30.000000'],
      ['out', '20.000000'],
    ],
  ]);
  const balances = (await textOf(statements.csv(operator, account.id, '2026-05')))
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(',').at(-1));
  expect(balances).toEqual(['7.501000', '27.501000', '18.501000', '48.501000', '28.501000', '28.501000']);
});
