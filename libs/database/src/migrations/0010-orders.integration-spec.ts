import { BEFORE, OldDatabase, type Row } from '../../test/old-database';

const TABLES = Object.keys(BEFORE);
const transfersOf = (kind: string): Row[] => (BEFORE.transfers ?? []).filter((row) => row.kind === kind);
const byId = (rows: Row[]): Row[] => rows.toSorted((one, other) => (String(one.id) < String(other.id) ? -1 : 1));

let old: OldDatabase;
beforeEach(async () => void (old = await OldDatabase.create()));
afterEach(() => old.drop());

test('migration 10 keeps every row of a database with orders of all kinds', async () => {
  await old.up(10);
  for (const [before, after] of [
    ['transfers', 'orders'],
    ['transfer_attempts', 'order_attempts'],
    ['records', 'ledger_entries'],
    ['forgotten_numbers', 'examined_nonces'],
  ] as const)
    expect(await old.rows(`SELECT count(*)::int AS count FROM ${after}`)).toEqual([{ count: BEFORE[before]?.length }]);
});

test('migration 10 moves the delegate, the payee and the source of a charge into columns of their own', async () => {
  await old.up(10);
  const charges = await old.rows(
    `SELECT id, payee, destination, delegate_key, source, recipient, idempotency_key FROM orders WHERE kind = 'charge' ORDER BY id`,
  );
  expect(charges).toEqual(
    byId(transfersOf('charge')).map(({ id, recipient, destination, idempotency_key }) => ({
      id: String(id).replace('pay_', 'chg_'),
      payee: recipient,
      destination: destination === recipient ? null : destination,
      delegate_key: idempotency_key,
      source: destination === recipient ? 'request' : 'backfill',
      recipient: null,
      idempotency_key: null,
    })),
  );
  expect(new Set(charges.map(({ source }) => source)).size).toBe(2);
});

test('migration 10 keeps the recipient of transfers and names the payee of sessions and top-ups', async () => {
  await old.up(10);
  expect(await old.rows(`SELECT id, recipient, destination, payee FROM orders WHERE kind = 'transfer' ORDER BY id`)).toEqual(
    byId(transfersOf('transfer')).map(({ id, recipient, destination }) => ({ id, recipient, destination, payee: null })),
  );
  expect(await old.rows(`SELECT id, recipient, destination, payee FROM orders WHERE kind IN ('session', 'top_up') ORDER BY id`)).toEqual(
    byId([...transfersOf('session'), ...transfersOf('top_up')]).map(({ id, recipient }) => ({
      id,
      recipient: null,
      destination: null,
      payee: recipient,
    })),
  );
});

test('migration 10 links each paid single payment to its order and its ledger entry', async () => {
  await old.up(10);
  const linked = await old.rows(
    `SELECT payments.id, orders.kind, entry.payment_id, entry.provider = payments.provider AS is_provider FROM payments
     JOIN orders ON orders.id = payments.order_id JOIN ledger_entries entry ON entry.order_id = orders.id ORDER BY payments.id`,
  );
  expect(linked).toEqual(byId(BEFORE.payments ?? []).map(({ id }) => ({ id, kind: 'charge', payment_id: id, is_provider: true })));
});

test('migration 10 down restores every row as it was', async () => {
  await old.up(10);
  await old.down(10);
  for (const table of TABLES) {
    const now = (await old.rows(`SELECT to_jsonb(each) AS row FROM ${table} each`)).map(({ row }) => row);
    expect(new Set(now.map((row) => JSON.stringify(row)))).toEqual(new Set(BEFORE[table]?.map((row) => JSON.stringify(row))));
  }
});
