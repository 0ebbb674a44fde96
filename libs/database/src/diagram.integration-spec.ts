import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { createMigratedDatabase, type TestDatabase } from '../../../test/support/database';

const ROOT = join(__dirname, '..', '..', '..');
const SCRIPT = join(ROOT, 'scripts', 'docs', 'database-diagram.mjs');

describe('docs/database.md', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createMigratedDatabase();
  });
  afterEach(() => database.drop());

  async function generated(): Promise<string> {
    const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, '--print'], {
      env: { ...process.env, DATABASE_URL: database.url },
    });
    return stdout;
  }

  test('the committed page is what `npm run docs:database` generates from the migrated schema', async () => {
    expect(readFileSync(join(ROOT, 'docs', 'database.md'), 'utf8')).toBe(await generated());
  });

  test('the diagram shows keys, references, nullable columns and checks of a table that is added', async () => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    await client.query(`CREATE TABLE diagram_parents (id text PRIMARY KEY);
      CREATE TABLE diagram_children (id bigint PRIMARY KEY, parent_id text REFERENCES diagram_parents, at timestamptz NOT NULL UNIQUE,
                                     state text CONSTRAINT state_known CHECK (state IN ('a', 'b')))`);
    await client.end();
    const page = await generated();
    expect(page).toContain('  diagram_parents |o--o{ diagram_children : "parent_id"\n');
    expect(page).toContain(
      '  diagram_children {\n    bigint id PK\n    text parent_id FK "nullable"\n    timestamptz at UK\n    text state "nullable"\n  }\n',
    );
    expect(page).toContain("| `diagram_children` | `state_known` | `CHECK ((state = ANY (ARRAY['a'::text, 'b'::text])))` |");
  });

  test('docs/scale.md says of each index of the busiest tables what reads it', async () => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<{ name: string }>(
      `SELECT indexname AS name FROM pg_indexes WHERE tablename IN ('orders', 'order_attempts', 'ledger_entries', 'events') ORDER BY 1`,
    );
    await client.end();
    const page = readFileSync(join(ROOT, 'docs', 'scale.md'), 'utf8');
    const described = [...page.matchAll(/^\| `((?:orders|order_attempts|ledger_entries|events)_\w+)` \| [^|]+ \|/gm)].map(
      ([, name]) => name,
    );
    expect(described.toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
  });
});
