import { DataSource } from 'typeorm';
import { sql } from '#database';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database';
import type { Clock } from '../runtime/clock';
import { Lease } from './lease';

const LEASE_MS = 10_000;
let testDatabase: TestDatabase;
let database: DataSource;
let now = new Date('2026-01-01T00:00:00Z');
const clock = { now: () => now } as Clock;
const lease = (): Lease => new Lease(database, clock, { table: 'works', durationMs: LEASE_MS });
const claim = async (limit = 10): Promise<unknown[]> =>
  (await lease().claim({ where: sql`status = 'open'`, limit })).map(({ id }) => id).toSorted();
const after = (ms: number): void => void (now = new Date(now.getTime() + ms));

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  database = await new DataSource({ type: 'postgres', url: testDatabase.url }).initialize();
  await database.query(
    `CREATE TABLE works (id text PRIMARY KEY, status text NOT NULL DEFAULT 'open', note text, lease_until timestamptz NOT NULL DEFAULT '-infinity')`,
  );
  await database.query(`INSERT INTO works (id, status) VALUES ('a', 'open'), ('b', 'open'), ('c', 'done')`);
});
afterEach(async () => {
  await database.destroy();
  await testDatabase.drop();
});

test('claim returns the rows that match, and none of them again until the lease ends', async () => {
  expect(await claim()).toEqual(['a', 'b']);
  after(LEASE_MS - 1);
  expect(await claim()).toEqual([]);
  after(1);
  expect(await claim()).toEqual(['a', 'b']);
});

test('concurrent claims never return the same row', async () => {
  await database.query(`INSERT INTO works (id) SELECT 'n' || number FROM generate_series(1, 100) number`);
  const claimed = (await Promise.all(Array.from({ length: 10 }, () => claim(10)))).flat();
  expect(new Set(claimed).size).toBe(claimed.length);
});

test('claim takes at most its limit, the rows with the oldest leases first', async () => {
  await claim(1);
  after(LEASE_MS);
  const [later] = (await claim(1)) as string[];
  after(1);
  expect(await claim(1)).not.toEqual([later]);
});

test('claim sets further columns in the same statement', async () => {
  const [row] = await lease().claim({ where: sql`id = 'a'`, limit: 1, set: sql`note = ${"it's mine"}` });
  expect(row).toMatchObject({ id: 'a', note: "it's mine" });
});

test('claimOne waits for a transaction that has the row locked, and claims the row after it', async () => {
  const other = database.createQueryRunner();
  await other.startTransaction();
  await other.query(`UPDATE works SET note = 'busy' WHERE id = 'a'`);
  const claimed = lease().claimOne('a', { where: sql`status = 'open'` });
  expect(await claim()).toEqual(['b']);
  await other.commitTransaction();
  await other.release();
  expect(await claimed).toMatchObject({ id: 'a', note: 'busy' });
});

test('claimOne returns undefined for a row that is leased, or that does not match', async () => {
  await claim();
  expect(await lease().claimOne('a', { where: sql`true` })).toBeUndefined();
  expect(await lease().claimOne('c', { where: sql`status = 'open'` })).toBeUndefined();
});

test('renew extends a lease by its length from now', async () => {
  await claim();
  after(LEASE_MS - 1);
  await lease().renew(['a']);
  after(1);
  expect(await claim()).toEqual(['b']);
});

test('release ends a lease at once, or after the given time', async () => {
  await claim();
  await lease().release('a');
  await lease().release('b', { inMs: 500 });
  expect(await claim()).toEqual(['a']);
  after(500);
  expect(await claim()).toEqual(['b']);
});
