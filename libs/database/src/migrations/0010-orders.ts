import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Tables and columns take the names of the glossary: `orders`, `order_attempts`, `ledger_entries`. Facts that were encoded in other
 * columns get columns of their own: an order's payee, its delegate key and its source, the order that pays a payment, the payment and
 * the provider of a ledger entry. Ids of charge orders begin with `chg_`: `pay_` is the prefix of payments.
 */
export class Orders0000000000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await renameTable(runner, 'transfers', 'orders');
    await renameTable(runner, 'transfer_attempts', 'order_attempts');
    await renameTable(runner, 'records', 'ledger_entries');
    await renameTable(runner, 'forgotten_numbers', 'examined_nonces');
    for (const [table, from, to] of COLUMNS) await runner.query(`ALTER TABLE ${table} RENAME COLUMN ${from} TO ${to}`);
    for (const [table, from, to] of CONSTRAINTS) await runner.query(`ALTER TABLE ${table} RENAME CONSTRAINT ${from} TO ${to}`);
    for (const [from, to] of INDEXES) await runner.query(`ALTER INDEX ${from} RENAME TO ${to}`);
    await runner.query('DROP FUNCTION record_lines(jsonb)');
    await runner.query(`
      ALTER TABLE orders
        ADD COLUMN payee text COLLATE "C",
        ADD COLUMN delegate_key text COLLATE "C",
        ADD COLUMN source text NOT NULL DEFAULT 'request',
        ALTER COLUMN recipient DROP NOT NULL,
        ALTER COLUMN destination DROP NOT NULL,
        ALTER COLUMN idempotency_key DROP NOT NULL`);
    await runner.query('ALTER TABLE payments ADD COLUMN order_id text COLLATE "C", ADD COLUMN method text, ADD COLUMN protocol text');
    await runner.query('ALTER TABLE ledger_entries ADD COLUMN payment_id text COLLATE "C", ADD COLUMN provider text');
    // Before: a charge's delegate was its idempotency key, its destination the payee, or the token account if it was backfilled.
    await runner.query(`
      UPDATE orders SET payee = recipient, recipient = NULL,
        source = CASE WHEN kind = 'charge' AND destination <> recipient THEN 'backfill' ELSE 'request' END,
        destination = CASE WHEN kind = 'charge' AND destination <> recipient THEN destination END,
        delegate_key = CASE WHEN kind = 'charge' THEN idempotency_key END,
        idempotency_key = CASE WHEN kind <> 'charge' THEN idempotency_key END,
        active_idempotency_key = CASE WHEN kind <> 'charge' THEN active_idempotency_key END
      WHERE kind <> 'transfer'`);
    await renameCharges(runner, 'pay_', 'chg_');
    await runner.query(`
      UPDATE payments SET order_id = orders.id FROM orders
      WHERE orders.operator_id = payments.operator_id AND orders.kind = 'charge' AND orders.delegate_key = payments.delegate_key`);
    await runner.query(`
      UPDATE payments SET order_id = entry.order_id FROM ledger_entries entry
      WHERE payments.order_id IS NULL AND payments.session_id IS NULL AND payments.signature IS NOT NULL
        AND entry.account_id = payments.account_id AND entry.signature = payments.signature AND entry.order_id LIKE 'chg\\_%'`);
    await runner.query(`
      UPDATE payments SET protocol = 'mpp', method = CASE WHEN cumulative_micro_usdc IS NULL THEN 'charge' ELSE 'voucher' END
      WHERE cumulative_micro_usdc IS NOT NULL OR delegate_key IS NOT NULL`);
    await runner.query(`
      ALTER TABLE payments
        ADD CONSTRAINT payments_method CHECK (method IN ('voucher', 'charge')),
        ADD CONSTRAINT payments_protocol CHECK (protocol IN ('mpp', 'x402')),
        ADD CONSTRAINT payments_method_has_protocol CHECK ((method IS NULL) = (protocol IS NULL))`);
    await runner.query(`
      UPDATE ledger_entries SET payment_id = payments.id, provider = payments.provider FROM payments
      WHERE ledger_entries.order_id = payments.order_id AND ledger_entries.type = 'transfer'`);
    await runner.query(`
      UPDATE ledger_entries SET provider = sessions.provider FROM sessions WHERE ledger_entries.session_id = sessions.id`);
    await runner.query(`
      ALTER TABLE orders
        ADD CONSTRAINT orders_delegate_key_unique UNIQUE (delegate_key),
        ADD CONSTRAINT orders_source CHECK (source IN ('request', 'backfill')),
        ADD CONSTRAINT orders_recipient CHECK ((kind = 'transfer') = (recipient IS NOT NULL)),
        ADD CONSTRAINT orders_payee CHECK ((kind = 'transfer') = (payee IS NULL)),
        ADD CONSTRAINT orders_destination CHECK ((destination IS NOT NULL) = (kind = 'transfer' OR (kind = 'charge' AND source = 'backfill'))),
        ADD CONSTRAINT orders_delegate_key CHECK ((kind = 'charge') = (delegate_key IS NOT NULL)),
        ADD CONSTRAINT orders_idempotency_key CHECK ((kind = 'charge') = (idempotency_key IS NULL))`);
    await runner.query(
      'ALTER TABLE ledger_entries ADD CONSTRAINT ledger_entries_payment_fkey FOREIGN KEY (payment_id) REFERENCES payments (id)',
    );
    // What other features change of an account in their own statements.
    await runner.query(`
      CREATE FUNCTION observe_slot(account text, slot bigint) RETURNS void LANGUAGE sql AS $$
        UPDATE accounts SET changed_slot = slot WHERE id = account AND changed_slot < slot
      $$`);
    await runner.query(`
      CREATE FUNCTION allocate_nonce(account text, oldest_unresolved bigint, max_span integer) RETURNS bigint LANGUAGE sql AS $$
        UPDATE accounts SET next_seq = next_seq + 1 WHERE id = account AND next_seq - COALESCE(oldest_unresolved, next_seq) < max_span RETURNING next_seq - 1
      $$`);
    await runner.query(recordFunction('record_ledger_entries', 'ledger_entries', [...ENTRY_COLUMNS, 'order_id', 'payment_id', 'provider']));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION record_ledger_entries(jsonb)');
    await runner.query('DROP FUNCTION allocate_nonce(text, bigint, integer)');
    await runner.query('DROP FUNCTION observe_slot(text, bigint)');
    await runner.query('ALTER TABLE ledger_entries DROP COLUMN payment_id, DROP COLUMN provider');
    await runner.query('ALTER TABLE payments DROP COLUMN order_id, DROP COLUMN method, DROP COLUMN protocol');
    await runner.query(`
      ALTER TABLE orders
        DROP CONSTRAINT orders_delegate_key_unique,
        DROP CONSTRAINT orders_source,
        DROP CONSTRAINT orders_recipient,
        DROP CONSTRAINT orders_payee,
        DROP CONSTRAINT orders_destination,
        DROP CONSTRAINT orders_delegate_key,
        DROP CONSTRAINT orders_idempotency_key`);
    await renameCharges(runner, 'chg_', 'pay_');
    await runner.query(`
      UPDATE orders SET recipient = payee, destination = COALESCE(destination, payee),
        idempotency_key = COALESCE(idempotency_key, delegate_key),
        active_idempotency_key = CASE WHEN kind = 'charge' THEN delegate_key ELSE active_idempotency_key END
      WHERE kind <> 'transfer'`);
    await runner.query(`
      ALTER TABLE orders
        DROP COLUMN payee,
        DROP COLUMN delegate_key,
        DROP COLUMN source,
        ALTER COLUMN recipient SET NOT NULL,
        ALTER COLUMN destination SET NOT NULL,
        ALTER COLUMN idempotency_key SET NOT NULL`);
    for (const [from, to] of INDEXES) await runner.query(`ALTER INDEX ${to} RENAME TO ${from}`);
    for (const [table, from, to] of CONSTRAINTS) await runner.query(`ALTER TABLE ${table} RENAME CONSTRAINT ${to} TO ${from}`);
    for (const [table, from, to] of COLUMNS) await runner.query(`ALTER TABLE ${table} RENAME COLUMN ${to} TO ${from}`);
    await renameTable(runner, 'examined_nonces', 'forgotten_numbers');
    await renameTable(runner, 'ledger_entries', 'records');
    await renameTable(runner, 'order_attempts', 'transfer_attempts');
    await renameTable(runner, 'orders', 'transfers');
    await runner.query(recordFunction('record_lines', 'records', [...ENTRY_COLUMNS, 'transfer_id'], 'lines'));
  }
}

const COLUMNS = [
  ['orders', 'live_key', 'active_idempotency_key'],
  ['orders', 'refusal', 'violation'],
  ['order_attempts', 'transfer_id', 'order_id'],
  ['ledger_entries', 'transfer_id', 'order_id'],
  ['payments', 'live_key', 'active_idempotency_key'],
  ['payments', 'refusal', 'violation'],
  ['sessions', 'paying', 'paying_payment_id'],
  ['accounts', 'read_record', 'read_ledger_entry'],
] as const;

/** Names that mention a renamed column or an old term, as they are once their table has its new name. */
const CONSTRAINTS = [
  ['orders', 'orders_live_key_unique', 'orders_active_idempotency_key_unique'],
  ['orders', 'orders_live_key_is_the_key', 'orders_active_idempotency_key_is_the_key'],
  ['order_attempts', 'order_attempts_transfer_fkey', 'order_attempts_order_fkey'],
  ['ledger_entries', 'ledger_entries_transfer_fkey', 'ledger_entries_order_fkey'],
  ['payments', 'payments_live_key_unique', 'payments_active_idempotency_key_unique'],
  ['payments', 'payments_live_key_is_the_key', 'payments_active_idempotency_key_is_the_key'],
  ['sessions', 'sessions_promises_fit', 'sessions_vouchers_fit'],
] as const;

const INDEXES = [
  ['order_attempts_by_transfer', 'order_attempts_by_order'],
  ['ledger_entries_transfer_once', 'ledger_entries_order_once'],
] as const;

const ENTRY_COLUMNS = [
  'id',
  'account_id',
  'type',
  'direction',
  'micro_usdc',
  'counterparty',
  'memo',
  'category',
  'signature',
  'session_id',
  'rejection_reason',
  'created_at',
  'settled_at',
];

/** Renames a table with the constraints and indexes that carry its name. */
async function renameTable(runner: QueryRunner, from: string, to: string): Promise<void> {
  await runner.query(`ALTER TABLE ${from} RENAME TO ${to}`);
  await runner.query(`
    DO $$ DECLARE name text; BEGIN
      FOR name IN SELECT conname FROM pg_constraint WHERE conrelid = '${to}'::regclass AND starts_with(conname, '${from}_') LOOP
        EXECUTE format('ALTER TABLE ${to} RENAME CONSTRAINT %I TO %I', name, '${to}' || substr(name, ${from.length + 1}));
      END LOOP;
      FOR name IN SELECT indexname FROM pg_indexes WHERE schemaname = current_schema AND tablename = '${to}' AND starts_with(indexname, '${from}_') LOOP
        EXECUTE format('ALTER INDEX %I RENAME TO %I', name, '${to}' || substr(name, ${from.length + 1}));
      END LOOP;
    END $$`);
}

/** Gives the ids of charge orders another prefix, in the tables that name them too. */
async function renameCharges(runner: QueryRunner, from: string, to: string): Promise<void> {
  await runner.query('ALTER TABLE order_attempts DROP CONSTRAINT order_attempts_order_fkey');
  await runner.query('ALTER TABLE ledger_entries DROP CONSTRAINT ledger_entries_order_fkey');
  await runner.query(`UPDATE orders SET id = '${to}' || substr(id, 5) WHERE kind = 'charge' AND starts_with(id, '${from}')`);
  for (const table of ['order_attempts', 'ledger_entries'])
    await runner.query(
      `UPDATE ${table} SET order_id = orders.id FROM orders
       WHERE orders.kind = 'charge' AND starts_with(${table}.order_id, '${from}') AND orders.id = '${to}' || substr(${table}.order_id, 5)`,
    );
  await runner.query('ALTER TABLE order_attempts ADD CONSTRAINT order_attempts_order_fkey FOREIGN KEY (order_id) REFERENCES orders (id)');
  await runner.query('ALTER TABLE ledger_entries ADD CONSTRAINT ledger_entries_order_fkey FOREIGN KEY (order_id) REFERENCES orders (id)');
}

/** An SQL function that inserts rows, given as a JSON array, in the statement that calls it. */
function recordFunction(name: string, table: string, columns: string[], parameter = 'entries'): string {
  const list = columns.join(', ');
  return `
      CREATE FUNCTION ${name}(${parameter} jsonb) RETURNS void LANGUAGE sql AS $$
        INSERT INTO ${table} (${list}) SELECT ${list} FROM jsonb_populate_recordset(NULL::${table}, ${parameter})
      $$`;
}
