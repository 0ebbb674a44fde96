import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * References and metadata of orders, sessions, purses, payments and ledger entries; who created and approved an order; the operator and
 * the transfer of a ledger entry; and an index for every filter of a list.
 */
export class References0000000000012 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of REFERENCED)
      await runner.query(`ALTER TABLE ${table} ADD COLUMN reference text COLLATE "C", ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}'`);
    await runner.query(`
      ALTER TABLE orders
        ADD COLUMN created_by text COLLATE "C",
        ADD COLUMN approved_by text COLLATE "C",
        ADD COLUMN approved_at timestamptz,
        ADD CONSTRAINT orders_approval_whole CHECK ((approved_by IS NULL) = (approved_at IS NULL))`);
    await runner.query(`ALTER TABLE ledger_entries ADD COLUMN operator_id text COLLATE "C", ADD COLUMN transfer_id text COLLATE "C"`);
    // Of a transfer between operators, the payee's entry does not name the transfer: it is the payer's.
    await runner.query(`
      UPDATE ledger_entries SET operator_id = accounts.operator_id,
        transfer_id = (SELECT orders.id FROM orders WHERE orders.id = ledger_entries.order_id AND orders.kind = 'transfer' AND orders.operator_id = accounts.operator_id)
      FROM accounts WHERE accounts.id = ledger_entries.account_id`);
    await runner.query(`
      ALTER TABLE ledger_entries
        ALTER COLUMN operator_id SET NOT NULL,
        DROP CONSTRAINT ledger_entries_account_fkey,
        ADD CONSTRAINT ledger_entries_account_fkey FOREIGN KEY (operator_id, account_id) REFERENCES accounts (operator_id, id)`);
    await runner.query(`ALTER TABLE accounts ADD COLUMN name_key text COLLATE "C"`);
    await foldNames(runner);
    await runner.query('ALTER TABLE accounts ALTER COLUMN name_key SET NOT NULL');
    for (const [name, on] of INDEXES) await runner.query(`CREATE INDEX ${name} ON ${on}`);
    await runner.query('DROP FUNCTION record_ledger_entries(jsonb)');
    await runner.query(`
      CREATE FUNCTION record_ledger_entries(entries jsonb) RETURNS void LANGUAGE sql AS $$
        INSERT INTO ledger_entries (${ENTRY_COLUMNS}, transfer_id, reference, metadata, operator_id)
        SELECT ${ENTRY_COLUMNS.split(', ')
          .map((column) => `entry.${column}`)
          .join(', ')}, entry.transfer_id, entry.reference, COALESCE(entry.metadata, '{}'), accounts.operator_id
        FROM jsonb_populate_recordset(NULL::ledger_entries, entries) AS entry JOIN accounts ON accounts.id = entry.account_id
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION record_ledger_entries(jsonb)');
    await runner.query(`
      CREATE FUNCTION record_ledger_entries(entries jsonb) RETURNS void LANGUAGE sql AS $$
        INSERT INTO ledger_entries (${ENTRY_COLUMNS}) SELECT ${ENTRY_COLUMNS} FROM jsonb_populate_recordset(NULL::ledger_entries, entries)
      $$`);
    for (const [name] of INDEXES) await runner.query(`DROP INDEX ${name}`);
    await runner.query('ALTER TABLE accounts DROP COLUMN name_key');
    await runner.query(`
      ALTER TABLE ledger_entries
        DROP CONSTRAINT ledger_entries_account_fkey,
        ADD CONSTRAINT ledger_entries_account_fkey FOREIGN KEY (account_id) REFERENCES accounts (id),
        DROP COLUMN operator_id,
        DROP COLUMN transfer_id`);
    await runner.query(`
      ALTER TABLE orders
        DROP CONSTRAINT orders_approval_whole,
        DROP COLUMN created_by,
        DROP COLUMN approved_by,
        DROP COLUMN approved_at`);
    for (const table of REFERENCED) await runner.query(`ALTER TABLE ${table} DROP COLUMN reference, DROP COLUMN metadata`);
  }
}

const REFERENCED = ['orders', 'sessions', 'purses', 'payments', 'ledger_entries'];

const ENTRY_COLUMNS =
  'id, account_id, type, direction, micro_usdc, counterparty, memo, category, signature, session_id, rejection_reason, created_at, settled_at, order_id, payment_id, provider';

const IS_TRANSFER = `WHERE kind = 'transfer'`;

/** Each filter before the id that a list is ordered by, so that a rare value is found without a walk through all rows of an operator. */
const INDEXES = [
  ['orders_by_status', `orders (operator_id, status, id) ${IS_TRANSFER}`],
  ['orders_by_destination', `orders (operator_id, destination, id) ${IS_TRANSFER}`],
  ['orders_by_amount', `orders (operator_id, micro_usdc, id) ${IS_TRANSFER}`],
  ['orders_by_category', `orders (operator_id, category, id) ${IS_TRANSFER} AND category IS NOT NULL`],
  ['orders_by_rejection', `orders (operator_id, rejection_reason, id) ${IS_TRANSFER} AND rejection_reason IS NOT NULL`],
  ['orders_by_reference', `orders (operator_id, reference, id) ${IS_TRANSFER} AND reference IS NOT NULL`],
  ['payments_by_operator', 'payments (operator_id, id)'],
  ['payments_by_account', 'payments (account_id, id)'],
  ['payments_by_provider', 'payments (operator_id, provider, id)'],
  ['payments_by_status', 'payments (operator_id, status, id)'],
  ['ledger_entries_by_operator', 'ledger_entries (operator_id, id)'],
  ['ledger_entries_by_type', 'ledger_entries (operator_id, type, id)'],
  ['ledger_entries_operator_settled', `ledger_entries (operator_id, id) WHERE type <> 'rejection'`],
  ['ledger_entries_by_account_type', 'ledger_entries (account_id, type, id)'],
  ['ledger_entries_by_category', 'ledger_entries (operator_id, category, id) WHERE category IS NOT NULL'],
  ['ledger_entries_by_counterparty', 'ledger_entries (operator_id, counterparty, id) WHERE counterparty IS NOT NULL'],
  ['ledger_entries_by_reference', 'ledger_entries (operator_id, reference, id) WHERE reference IS NOT NULL'],
  ['accounts_by_name', `accounts (operator_id, name_key, id) WHERE state = 'open'`],
  ['providers_listed', 'providers (operator_id, created_at, host)'],
] as const;

/** Lower case as the service writes it: what `lower` does beyond ASCII depends on the database's locale. */
async function foldNames(runner: QueryRunner): Promise<void> {
  await runner.query('UPDATE accounts SET name_key = lower(name)');
  const rows = (await runner.query(`SELECT id, name FROM accounts WHERE name ~ '[^[:ascii:]]'`)) as { id: string; name: string }[];
  for (const { id, name } of rows) await runner.query('UPDATE accounts SET name_key = $2 WHERE id = $1', [id, name.toLowerCase()]);
}
