import { BEFORE, OldDatabase, type Row } from '../../test/old-database';

const TABLES = ['orders', 'order_attempts', 'sessions', 'payments', 'purses', 'ledger_entries', 'accounts'];

let old: OldDatabase;
beforeEach(async () => {
  old = await OldDatabase.create();
  await old.client.query(`UPDATE accounts SET name = 'ÄPFEL Kilo' WHERE id = (SELECT min(id) FROM accounts)`);
  await old.up(11);
});
afterEach(() => old.drop());

async function everyRow(): Promise<Row> {
  const found: Row = {};
  for (const table of TABLES) found[table] = await old.rows(`SELECT to_jsonb(t) AS row FROM ${table} t ORDER BY t::text`);
  return found;
}
const recordFunction = () => old.rows(`SELECT pg_get_functiondef(oid) FROM pg_proc WHERE proname = 'record_ledger_entries'`);

test('migration 12 gives every ledger entry its operator, and a transfer’s entry its transfer', async () => {
  await old.up(12);
  const entries = await old.rows(`
    SELECT entry.type, entry.transfer_id, orders.id AS order_id, orders.kind, orders.operator_id = accounts.operator_id AS is_own,
           entry.operator_id = accounts.operator_id AS is_of_operator, entry.reference, entry.metadata
    FROM ledger_entries entry JOIN accounts ON accounts.id = entry.account_id LEFT JOIN orders ON orders.id = entry.order_id`);
  expect(entries.length).toBe(BEFORE.records?.length);
  for (const { type, transfer_id, order_id, kind, is_own, is_of_operator, reference, metadata } of entries) {
    expect([is_of_operator, reference, metadata]).toEqual([true, null, {}]);
    expect([type, transfer_id]).toEqual([type, kind === 'transfer' && is_own ? order_id : null]);
  }
  expect(entries.some(({ transfer_id }) => transfer_id !== null)).toBe(true);
});

test('migration 12 folds the case of names beyond ASCII', async () => {
  await old.up(12);
  expect(await old.rows(`SELECT name_key FROM accounts WHERE name = 'ÄPFEL Kilo'`)).toEqual([{ name_key: 'äpfel kilo' }]);
});

test('migration 12 and its reversal leave every row and the function of entries as they were', async () => {
  const [before, definition] = [await everyRow(), await recordFunction()];
  await old.up(12);
  expect(await recordFunction()).not.toEqual(definition);
  await old.down(12);
  expect([await everyRow(), await recordFunction()]).toEqual([before, definition]);
});
