import { Client } from 'pg';
import { createMigratedDatabase, type TestDatabase } from '../support/database';
import { TABLES } from './table-owners';

let database: TestDatabase;
beforeAll(async () => {
  database = await createMigratedDatabase();
});
afterAll(() => database.drop());

test('every table of the migrated schema has one owner, and every owned table exists', async () => {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ tablename: string }>(
    `SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations' ORDER BY tablename`,
  );
  await client.end();
  expect(Object.values(TABLES).flat().toSorted()).toEqual(rows.map(({ tablename }) => tablename));
});
