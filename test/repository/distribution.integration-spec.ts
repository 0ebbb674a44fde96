import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { createMigratedDatabase } from '../support/database';

const HOT = ['accounts', 'events', 'ledger_entries', 'order_attempts', 'orders', 'payments', 'purses', 'sessions'];
const WITHOUT_OPERATOR = `
  SELECT t.relname AS "table", string_agg(a.attname, ', ' ORDER BY k.position) AS columns
  FROM pg_index i
  JOIN pg_class t ON t.oid = i.indrelid AND t.relname = ANY($1)
  CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k(attnum, position)
  JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum
  WHERE i.indisunique
  GROUP BY t.relname, i.indexrelid
  HAVING NOT bool_or(a.attname = 'operator_id')`;

test('docs/scale.md names the unique constraints of the busiest tables that do not carry the operator', async () => {
  const database = await createMigratedDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ table: string; columns: string }>(WITHOUT_OPERATOR, [HOT]);
  await client.end();
  await database.drop();
  const constraints = (table: string): string[] => rows.filter((row) => row.table === table).map(({ columns }) => columns);
  const lines = HOT.map(
    (table) =>
      `| \`${table}\` | ${constraints(table)
        .toSorted()
        .map((columns) => `\`${columns}\``)
        .join(' · ')} |`,
  );
  const text = readFileSync(join(__dirname, '..', '..', 'docs', 'scale.md'), 'utf8');
  for (const line of lines) expect(text).toContain(line);
});
