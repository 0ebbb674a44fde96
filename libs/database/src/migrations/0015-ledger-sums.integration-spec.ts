import { OldDatabase } from '../../test/old-database';

let old: OldDatabase;
beforeEach(async () => {
  old = await OldDatabase.create();
  await old.up(15);
});
afterEach(() => old.drop());

const NET = `sum(CASE direction WHEN 'in' THEN micro_usdc ELSE -micro_usdc END)::text AS net`;
const entries = () => old.rows(`SELECT account_id, ${NET} FROM ledger_entries WHERE type <> 'rejection' GROUP BY 1 ORDER BY 1`);
const sums = () => old.rows(`SELECT account_id, sum(net_micro_usdc)::text AS net FROM ledger_account_nets GROUP BY 1 ORDER BY 1`);

test('migration 15 sums the ledger entries of an older database', async () => {
  expect((await entries()).length).toBeGreaterThan(1);
  expect(await sums()).toEqual(await entries());
  const [detail] = await old.rows(
    `SELECT sum(entries)::int AS count, sum(micro_usdc)::text AS sum FROM ledger_sums WHERE span = 'hour' AND account_id IS NULL`,
  );
  expect(detail).toEqual(
    (await old.rows(`SELECT count(*)::int AS count, sum(micro_usdc)::text AS sum FROM ledger_entries WHERE direction = 'out'`))[0],
  );
});

test('migration 15 notes the entries that a process of the release before it writes', async () => {
  const [{ id, operator_id } = {}] = await old.rows('SELECT id, operator_id FROM accounts ORDER BY id LIMIT 1');
  await old.client.query('SELECT record_ledger_entries($1)', [
    JSON.stringify([
      {
        id: 'txn_1',
        account_id: id,
        type: 'transfer',
        direction: 'out',
        micro_usdc: 5,
        metadata: {},
        created_at: new Date(),
        settled_at: new Date(),
      },
    ]),
  ]);
  await old.client.query(
    `INSERT INTO ledger_entries (id, operator_id, account_id, type, direction, micro_usdc, created_at, settled_at) VALUES ('txn_2', $1, $2, 'deposit', 'in', 9, now(), now())`,
    [operator_id, id],
  );
  expect(await sums()).not.toEqual(await entries());
  expect(await old.rows('SELECT fold_ledger_entries(100)::int AS folded')).toEqual([{ folded: 2 }]);
  expect(await sums()).toEqual(await entries());
});
