import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Fewer and cheaper writes for each transfer. Two unique constraints on `orders` become indexes without the rows that have no value: a
 * transfer has no delegate key, and no signature before it settles. Ledger entries are noted for the sums by statement instead of by row.
 * Rows that each transfer updates in place keep room on their page, so that PostgreSQL writes no index entries for them (HOT).
 */
export class CheaperRows0000000000040 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const column of SPARSE) {
      await runner.query(`ALTER TABLE orders DROP CONSTRAINT orders_${column}_unique`);
      await runner.query(`CREATE UNIQUE INDEX orders_${column}_unique ON orders (${column}) WHERE ${column} IS NOT NULL`);
    }
    for (const [table, fillFactor] of IN_PLACE) await runner.query(`ALTER TABLE ${table} SET (fillfactor = ${fillFactor})`);
    await runner.query('DROP TRIGGER ledger_entries_noted ON ledger_entries');
    await runner.query('DROP FUNCTION note_ledger_entry()');
    for (const [verb, rows] of NOTED) {
      const parts = rows.map(([table, sign]) => `SELECT ${COLUMNS}, ${sign} * micro_usdc, ${sign} FROM ${table}`);
      await runner.query(`
      CREATE FUNCTION note_ledger_entries_${verb}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO unsummed_ledger_entries (${COLUMNS}, micro_usdc, entries) ${parts.join(' UNION ALL ')};
        RETURN NULL;
      END $$`);
      await runner.query(`
      CREATE TRIGGER ledger_entries_noted_${verb} AFTER ${verb} ON ledger_entries
        REFERENCING ${rows.map(([table]) => `${table === 'added' ? 'NEW' : 'OLD'} TABLE AS ${table}`).join(' ')}
        FOR EACH STATEMENT EXECUTE FUNCTION note_ledger_entries_${verb}()`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [verb] of NOTED) {
      await runner.query(`DROP TRIGGER ledger_entries_noted_${verb} ON ledger_entries`);
      await runner.query(`DROP FUNCTION note_ledger_entries_${verb}()`);
    }
    await runner.query(`
      CREATE FUNCTION note_ledger_entry() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF TG_OP <> 'INSERT' THEN
          ${noteRow('OLD', -1)}
        END IF;
        IF TG_OP <> 'DELETE' THEN
          ${noteRow('NEW', 1)}
        END IF;
        RETURN NULL;
      END $$`);
    await runner.query(
      'CREATE TRIGGER ledger_entries_noted AFTER INSERT OR UPDATE OR DELETE ON ledger_entries FOR EACH ROW EXECUTE FUNCTION note_ledger_entry()',
    );
    for (const [table] of IN_PLACE) await runner.query(`ALTER TABLE ${table} RESET (fillfactor)`);
    for (const column of SPARSE) {
      await runner.query(`DROP INDEX orders_${column}_unique`);
      await runner.query(`ALTER TABLE orders ADD CONSTRAINT orders_${column}_unique UNIQUE (${column})`);
    }
  }
}

/** Columns of orders that most rows have no value in for most of their life. */
const SPARSE = ['delegate_key', 'signature'];

/** Small tables whose rows every order updates, in columns that no index has. */
const IN_PLACE = [
  ['accounts', 50],
  ['event_counters', 50],
  ['account_fees', 50],
] as const;

const COLUMNS = 'operator_id, account_id, created_at, type, direction, provider, category, rejection_reason';

/** Each verb, with the rows that it adds to the ledger or removes from it. */
const NOTED = [
  ['insert', [['added', 1]]],
  [
    'update',
    [
      ['removed', -1],
      ['added', 1],
    ],
  ],
  ['delete', [['removed', -1]]],
] as const;

function noteRow(row: 'OLD' | 'NEW', entries: 1 | -1): string {
  const values = COLUMNS.split(', ').map((column) => `${row}.${column}`);
  return `INSERT INTO unsummed_ledger_entries (${COLUMNS}, micro_usdc, entries)
            VALUES (${values.join(', ')}, ${entries} * ${row}.micro_usdc, ${entries});`;
}
