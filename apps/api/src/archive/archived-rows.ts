/** The SQL that picks the rows of a month, reads, deletes and writes them. All of it runs in one transaction of the caller's. */
import type { EntityManager } from 'typeorm';
import { raw, type Row, type Sql, sql } from '#database';
import { type ArchivedRow, BrokenArchive, readArchive } from './archive-file';
import { LINKS, NAMED_LATER, pickedOf, tableOf, TABLES } from './archived-tables';

/** Rows that one statement reads or writes. */
const PAGE = 1_000;

/** Leaves the keys of the rows to archive in a temporary table for each table. */
export async function pickRows(manager: EntityManager, end: Date): Promise<void> {
  for (const { name, key, endedBefore } of TABLES) {
    const condition = endedBefore?.(end) ?? sql`false`;
    await run(manager, sql`CREATE TEMPORARY TABLE ${pickedOf(name)} (key text COLLATE "C" PRIMARY KEY) ON COMMIT DROP`);
    await run(manager, sql`INSERT INTO ${pickedOf(name)} SELECT old.${raw(key)} FROM ${raw(name)} AS old WHERE ${condition}`);
  }
  for (const { table, column } of NAMED_LATER)
    await run(
      manager,
      sql`DELETE FROM ${pickedOf(table)} AS picked USING ledger_entries AS entry WHERE entry.${raw(column)} = picked.key AND entry.created_at >= ${end}`,
    );
  while (await leaveLinked(manager));
  await run(
    manager,
    sql`INSERT INTO picked_order_attempts SELECT signature FROM order_attempts JOIN picked_orders AS picked ON picked.key = order_id`,
  );
}

/** Leaves out the rows that a row which stays refers to, or that refer to one. False if there were none. */
async function leaveLinked(manager: EntityManager): Promise<boolean> {
  let left = 0;
  for (const { from, column, to } of LINKS) {
    const [fromKey, toKey] = [raw(tableOf(from).key), raw(tableOf(to).key)];
    const isPicked = (table: string, key: Sql): Sql => sql`EXISTS (SELECT FROM ${pickedOf(table)} AS other WHERE other.key = ${key})`;
    const both = sql`FROM ${raw(from)} AS child JOIN ${raw(to)} AS parent ON parent.${toKey} = child.${raw(column)}`;
    const children = await run(
      manager,
      sql`DELETE FROM ${pickedOf(from)} AS picked WHERE picked.key IN (
            SELECT child.${fromKey} ${both} WHERE ${isPicked(from, sql`child.${fromKey}`)} AND NOT ${isPicked(to, sql`parent.${toKey}`)})`,
    );
    const parents = await run(
      manager,
      sql`DELETE FROM ${pickedOf(to)} AS picked WHERE picked.key IN (
            SELECT parent.${toKey} ${both} WHERE ${isPicked(to, sql`parent.${toKey}`)} AND NOT ${isPicked(from, sql`child.${fromKey}`)})`,
    );
    left += children.rowCount + parents.rowCount;
  }
  return left > 0;
}

/** The picked rows as JSON texts, in the order of their keys. */
export async function* pickedRows(manager: EntityManager): AsyncGenerator<{ table: string; texts: string[] }> {
  for (const { name, key } of TABLES) {
    for (let after = ''; ; ) {
      const { rows } = await run(
        manager,
        sql`SELECT picked.key, to_jsonb(old)::text AS text FROM ${pickedOf(name)} AS picked JOIN ${raw(name)} AS old ON old.${raw(key)} = picked.key
            WHERE picked.key > ${after} ORDER BY picked.key LIMIT ${PAGE}`,
      );
      if (rows.length > 0) yield { table: name, texts: rows.map(({ text }) => String(text)) };
      if (rows.length < PAGE) break;
      after = String(rows.at(-1)?.key);
    }
  }
}

/** Keeps the key of each transaction that a picked record or order names, and what it changed, so that it is not recorded again. */
export async function noteTransactions(manager: EntityManager, month: Date): Promise<void> {
  await run(
    manager,
    sql`INSERT INTO archived_transactions (key, month, micro_usdc, settled_at)
        SELECT archived_key(account_id, signature), ${month}, sum(change) FILTER (WHERE is_change), min(settled_at) FROM (
          SELECT account_id, signature, CASE direction WHEN 'in' THEN micro_usdc ELSE -micro_usdc END AS change, settled_at,
                 type NOT IN ('rejection', 'session_settlement') AS is_change
          FROM ledger_entries JOIN picked_ledger_entries AS picked ON picked.key = id WHERE signature IS NOT NULL
          UNION ALL
          SELECT account_id, signature, 0, settled_at, false FROM orders JOIN picked_orders AS picked ON picked.key = id
          WHERE signature IS NOT NULL) AS named
        GROUP BY account_id, signature
        ON CONFLICT (key) DO NOTHING`,
  );
}

/** Writes the rows of a file. Call it in a transaction. @throws BrokenArchive for a file that is not whole */
export async function writeRows(manager: EntityManager, path: string): Promise<void> {
  await run(manager, sql`SET CONSTRAINTS ALL DEFERRED`);
  let waiting: ArchivedRow[] = [];
  const flush = async (): Promise<void> => {
    const [first] = waiting;
    if (!first) return;
    const { name } = tableOf(first.table);
    const rows = `[${waiting.map(({ text }) => text).join(',')}]`;
    waiting = [];
    const columns = await columnsOf(manager, name, first.text);
    await run(
      manager,
      sql`INSERT INTO ${raw(name)} (${raw(columns)}) SELECT ${raw(columns)} FROM jsonb_populate_recordset(NULL::${raw(name)}, ${rows}::jsonb)`,
    );
  };
  await readArchive(path, async (row) => {
    if (waiting.length === PAGE || (waiting[0] && waiting[0].table !== row.table)) await flush();
    waiting.push(row);
  });
  await flush();
}

/** Deletes the picked rows, those that refer to others first. */
export async function removePicked(manager: EntityManager): Promise<void> {
  await run(manager, sql`SET CONSTRAINTS ALL DEFERRED`);
  for (const { name, key } of TABLES.toReversed())
    await run(manager, sql`DELETE FROM ${raw(name)} USING ${pickedOf(name)} AS picked WHERE ${raw(`${name}.${key}`)} = picked.key`);
}

/** The columns of a table that the rows of a file have: a column that came later takes its default. */
async function columnsOf(manager: EntityManager, table: string, row: string): Promise<string> {
  const { rows } = await run(
    manager,
    sql`SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns FROM pg_attribute
        WHERE attrelid = ${table}::regclass AND attnum > 0 AND NOT attisdropped AND ${row}::jsonb ? attname`,
  );
  const [found] = rows;
  if (typeof found?.columns !== 'string') throw new BrokenArchive(`The rows of ${table} have no column of this database.`);
  return found.columns;
}

/** Runs a statement in the transaction of `manager`. */
export async function run({ queryRunner }: EntityManager, { text, values }: Sql): Promise<{ rows: Row[]; rowCount: number }> {
  if (!queryRunner) throw new Error('an archive is moved in a transaction');
  const { records, affected } = await queryRunner.query(text, values, true);
  return { rows: records, rowCount: affected ?? 0 };
}
