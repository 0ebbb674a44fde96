import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database';
import { migrate, revertMigrations } from './migrate';

describe('migrations', () => {
  let database: TestDatabase;
  beforeEach(async () => void (database = await createTestDatabase()));
  afterEach(() => database.drop());

  test('up, down and up again end in the same schema, and down leaves nothing', async () => {
    const empty = await schemaOf(database.url);
    await migrate(database.url);
    const first = await schemaOf(database.url);
    expect(first).toContainEqual(expect.objectContaining({ object: 'operators.id text NOT NULL' }));
    await revertMigrations(database.url);
    expect(await schemaOf(database.url)).toEqual(empty);
    await migrate(database.url);
    expect(await schemaOf(database.url)).toEqual(first);
  });

  test('eight processes that start at once migrate once', async () => {
    await Promise.all(Array.from({ length: 8 }, () => migrate(database.url)));
    const applied = await rowsOf(database.url, 'SELECT name FROM migrations');
    expect(new Set(applied.map((row) => row.name)).size).toBe(applied.length);
  });
});

/** Every column, constraint, index, function, trigger and type of the public schema, but TypeORM's own table. */
function schemaOf(url: string): Promise<Record<string, unknown>[]> {
  return rowsOf(
    url,
    `SELECT format('%s.%s %s%s', table_name, column_name, data_type, CASE is_nullable WHEN 'NO' THEN ' NOT NULL' END) AS object, column_default AS definition
       FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'migrations'
     UNION ALL SELECT conrelid::regclass || '.' || conname, pg_get_constraintdef(oid) FROM pg_constraint
       WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text <> 'migrations'
     UNION ALL SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename <> 'migrations'
     UNION ALL SELECT proname, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
     UNION ALL SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
     UNION ALL SELECT typname, typtype::text FROM pg_type WHERE typnamespace = 'public'::regnamespace AND typname NOT IN ('migrations', '_migrations')
     ORDER BY 1, 2`,
  );
}

async function rowsOf(url: string, query: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(query)).rows;
  } finally {
    await client.end();
  }
}
