import { DataSource } from 'typeorm';
import { sql } from '#database';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database';
import { enter, leave, runTransition } from './transition';

const SETTLE = { from: ['open', 'closing'], to: 'settled' } as const;
let testDatabase: TestDatabase;
let database: DataSource;

beforeEach(async () => {
  testDatabase = await createMigratedDatabase();
  database = await new DataSource({ type: 'postgres', url: testDatabase.url }).initialize();
  await database.query(`INSERT INTO operators (id, name, chain_key, chain_key_sealed) VALUES ('op', 'o', 'k', 's')`);
  await database.query(
    `INSERT INTO accounts (id, operator_id, name, name_key, handle, creator, chain_address, usdc_token_account, authority_key, authority_key_sealed, policy, observed_slot)
     VALUES ('acct', 'op', 'a', 'a', 'h', 'c', 'c', 't', 'k', 's', '{}', 10)`,
  );
  await database.query(`CREATE TABLE works (id text PRIMARY KEY, account_id text NOT NULL DEFAULT 'acct', status text NOT NULL)`);
  await database.query(`CREATE TABLE notes (id text PRIMARY KEY)`);
  await database.query(`INSERT INTO works (id, status) VALUES ('w', 'open')`);
});
afterEach(async () => {
  await database.destroy();
  await testDatabase.drop();
});

const settle = sql`UPDATE works SET ${enter(SETTLE)} WHERE id = 'w' AND ${leave(SETTLE)} RETURNING *`;
const event = { id: 'evt', operator_id: 'op', account_id: 'acct', type: 'transfer.settled', data: {}, created_at: new Date() };
const entry = {
  id: 'txn',
  account_id: 'acct',
  type: 'deposit',
  direction: 'in',
  micro_usdc: '1',
  created_at: new Date(),
  settled_at: new Date(),
};
const effects = { event, entries: [entry], slot: 11, companion: sql`INSERT INTO notes SELECT id FROM moved` };
const count = async (table: string): Promise<number> => (await database.query(`SELECT count(*)::int AS count FROM ${table}`))[0].count;
const written = async (): Promise<number[]> => Promise.all(['events', 'ledger_entries', 'notes'].map(count));

test('a transition writes its row, event, ledger entries, companion and observed slot', async () => {
  expect(await runTransition(database, settle, effects)).toMatchObject({ id: 'w', status: 'settled' });
  expect(await written()).toEqual([1, 1, 1]);
  expect(await database.query('SELECT observed_slot::int FROM accounts')).toEqual([{ observed_slot: 11 }]);
});

test('a transition whose guard does not hold writes nothing and returns undefined', async () => {
  await database.query(`UPDATE works SET status = 'failed'`);
  expect(await runTransition(database, settle, effects)).toBeUndefined();
  expect(await written()).toEqual([0, 0, 0]);
});

test('of fifty concurrent transitions of one row one has effects', async () => {
  const moved = await Promise.all(
    Array.from({ length: 50 }, (_, index) => runTransition(database, settle, { event: { ...event, id: `evt${index}` } })),
  );
  expect(moved.filter((row) => row !== undefined)).toHaveLength(1);
  expect(await count('events')).toBe(1);
});

test('a transition whose ledger entry cannot be written leaves the row as it was', async () => {
  await expect(runTransition(database, settle, { ...effects, entries: [{ ...entry, direction: 'sideways' }] })).rejects.toThrow(
    'direction',
  );
  expect(await database.query('SELECT status FROM works')).toEqual([{ status: 'open' }]);
  expect(await written()).toEqual([0, 0, 0]);
});

test('an observed slot never moves back', async () => {
  await runTransition(database, settle, { slot: 9 });
  expect(await database.query('SELECT observed_slot::int FROM accounts')).toEqual([{ observed_slot: 10 }]);
});

test('an event whose condition does not hold is not recorded', async () => {
  await runTransition(database, settle, { event, eventWhen: sql`moved.status = ${'open'}` });
  expect(await count('events')).toBe(0);
});
