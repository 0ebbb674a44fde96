import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AllowedUse, foreignUses, tablesIn } from './table-owners';

const SOURCE = join(__dirname, '..', '..', 'apps', 'api', 'src');

const ALLOWED: AllowedUse[] = [
  {
    file: 'keys/api-keys/owned-accounts.ts',
    tables: ['accounts', 'fleets'],
    reason:
      'The check of account and fleet ids, and the members of a key’s fleets, in requests of keys and webhooks, which stand left of accounts. Foreign keys enforce the same.',
  },
  {
    file: 'keys/resealing.service.ts',
    tables: ['accounts', 'payments', 'purses', 'push_keys', 'sessions', 'webhooks'],
    reason: '`npm run reseal` starts neither the chain nor its features, and re-encrypts every sealed column of the schema.',
  },
  {
    file: 'webhooks/deliveries/fan-out.ts',
    tables: ['events'],
    reason: 'One statement creates the deliveries of events and marks the events, so that a crash leaves both or neither.',
  },
  {
    file: 'webhooks/deliveries/delivery-queue.ts',
    tables: ['events'],
    reason: 'One statement claims deliveries and reads the events that they send, every few milliseconds.',
  },
  {
    file: 'webhooks/deliveries/deliveries.service.ts',
    tables: ['events'],
    reason: 'A page of deliveries shows the types of their events.',
  },
  {
    file: 'webhooks/retention.service.ts',
    tables: ['events'],
    reason: 'One statement deletes old events without pending deliveries, and events stands left of webhooks.',
  },
  {
    file: 'push/sending/push-messages.store.ts',
    tables: ['accounts', 'events'],
    reason: 'One statement creates the messages of events, and one claims messages and reads what they report.',
  },
  {
    file: 'purses/store/purse-lock.store.ts',
    tables: ['open_charges'],
    reason: 'The lock that gives an account one open charge or purse is taken and released in the statements of the purse.',
  },
  {
    file: 'archive/archived-rows.ts',
    tables: ['archived_transactions', 'ledger_entries', 'order_attempts', 'orders'],
    reason: 'One transaction moves the old rows of several features that belong together. The tables are listed in archived-tables.ts.',
  },
  {
    file: 'archive/archive.service.ts',
    tables: ['archived_months', 'archived_transactions', 'ledger_entries', 'orders', 'payments', 'unsummed_ledger_entries'],
    reason: 'The month that a transaction moves, and the notes of the rows that it moves, which are in the sums already.',
  },
  {
    file: 'archive/archived-tables.ts',
    tables: ['audit_log', 'orders', 'payments'],
    reason: 'The list of the tables whose old rows are archived, and of what belongs together.',
  },
  {
    file: 'dashboard/data/dashboard-accounts.service.ts',
    tables: ['accounts', 'event_counters', 'purses', 'sessions'],
    reason: 'The read model of the dashboard: all accounts with their figures in one statement.',
  },
  {
    file: 'dashboard/data/dashboard-data.service.ts',
    tables: [
      'accounts',
      'api_keys',
      'ledger_entries',
      'orders',
      'purses',
      'sessions',
      'webhook_deliveries',
      'webhook_delivery_attempts',
      'webhooks',
    ],
    reason: 'The read model of the dashboard: totals and lists over the tables of several features.',
  },
  {
    file: 'dashboard/search/search.service.ts',
    tables: ['accounts', 'orders', 'payments', 'purses', 'sessions'],
    reason: 'The search of the dashboard over the tables of several features.',
  },
  {
    file: 'dashboard/search/search.sql.ts',
    tables: ['accounts', 'ledger_entries', 'order_attempts', 'orders', 'payments'],
    reason: 'The search of the dashboard over the tables of several features.',
  },
];

const uses = foreignUses(SOURCE);
const isAllowed = (file: string, table: string): boolean => ALLOWED.some((use) => use.file === file && use.tables.includes(table));

test('a feature’s SQL names only its own tables, except for the allowed uses', () => {
  expect(uses.filter(({ file, table }) => !isAllowed(file, table))).toEqual([]);
});

test('every allowed use of another feature’s table exists', () => {
  const declared = ALLOWED.flatMap(({ file, tables }) => tables.map((table) => ({ file, table })));
  expect(declared.filter(({ file, table }) => !uses.some((use) => use.file === file && use.table === table))).toEqual([]);
});

describe('foreignUses', () => {
  const tree = mkdtempSync(join(tmpdir(), 'aps-tables-'));
  afterAll(() => rmSync(tree, { recursive: true, force: true }));

  test('finds the tables of other features in nested folders, and ignores own tables, specs and builders', () => {
    const files = {
      'payments/methods/charge/charge.store.ts': 'sql`SELECT * FROM payments JOIN sessions ON true`',
      'sessions/session.store.ts': 'sql`UPDATE sessions SET state = 1`',
      'sessions/session.store.spec.ts': 'sql`DELETE FROM payments`',
      'sessions/session.integration-spec.ts': 'sql`DELETE FROM payments`',
      'sessions/session.builder.ts': 'sql`DELETE FROM payments`',
      'app.module.ts': 'sql`SELECT 1 FROM operators`',
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(tree, path, '..'), { recursive: true });
      writeFileSync(join(tree, path), text);
    }
    expect(foreignUses(tree)).toEqual([
      { file: 'app.module.ts', table: 'operators' },
      { file: 'payments/methods/charge/charge.store.ts', table: 'sessions' },
    ]);
  });
});

test.each([
  ['SELECT * FROM orders', ['orders']],
  ['DELETE FROM ONLY "orders" USING sessions', ['orders', 'sessions']],
  ['INSERT INTO\n  order_attempts (id)', ['order_attempts']],
  ['WITH a AS (UPDATE accounts SET b = 1) SELECT * FROM a LEFT JOIN events ON true', ['accounts', 'events']],
  ["new Lease(database, clock, { table: 'webhooks' })", ['webhooks']],
  ['Moves money from accounts of the operator to a table of orders', []],
  ['SELECT * FROM orders_archive', []],
])('tablesIn finds the tables of %j', (text, tables) => {
  expect(tablesIn(text)).toEqual(tables);
});
