import type { DataSource } from 'typeorm';
import { createDataSource, firstIdAt, newId } from '#database';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database';
import { JobsService } from '../jobs/jobs.service';
import { LedgerService } from '../ledger';
import { DepositsService } from './deposits.service';

const ACCOUNTS = 700;
const operator = newId('op');
const clock = { now: () => new Date() };
/** In the order of the accounts. */
const ids = Array.from({ length: ACCOUNTS }, (_, index) => firstIdAt('acct', new Date(Date.UTC(2026, 0, 1) + index * 1_000)));
const last = ids.at(-1) ?? '';

let testDatabase: TestDatabase;
let database: DataSource;
let deposits: DepositsService;
/** The balances of the chain, and the token accounts of each request for balances. */
let balances: Map<string, bigint>;
let requests: string[][];
/** The token accounts whose transactions were read. */
let read: string[];

beforeEach(async () => {
  testDatabase = await createMigratedDatabase();
  database = createDataSource({ url: testDatabase.url, applicationName: 'deposits test' });
  await database.initialize();
  await database.query(`INSERT INTO operators (id, name, chain_key, chain_key_sealed) VALUES ($1, 'o', 'k', 's')`, [operator]);
  await database.query(
    `INSERT INTO accounts (id, operator_id, name, name_key, handle, state, creator, chain_address, usdc_token_account, authority_key, authority_key_sealed, policy, read_at)
     SELECT id, $2, 'a', 'a', id, 'open', 'c', id, id, 'k', 's', '{}', now() FROM unnest($1::text[]) AS id`,
    [ids, operator],
  );
  [balances, requests, read] = [new Map(), [], []];
  const chain = {
    accounts: {
      balances: async (tokens: string[]) => {
        requests.push(tokens);
        return tokens.map((token) => balances.get(token) ?? 0n);
      },
    },
    history: {
      signaturesAfter: async (token: string, after: string | null) => {
        read.push(token);
        return after === null ? [`signature of ${token}`] : [];
      },
      changeIn: async (_signature: string, token: string) => ({
        microUsdc: balances.get(token) ?? 0n,
        ours: 0n,
        transfers: [],
        sender: 'sender',
      }),
    },
  };
  const lowBalances = { note: async () => undefined };
  deposits = new DepositsService(
    database,
    clock,
    chain as never,
    new JobsService(),
    new LedgerService(database, clock),
    lowBalances as never,
  );
});
afterEach(async () => {
  await database.destroy();
  await testDatabase.drop();
});

async function depositsIn(account: string): Promise<string[]> {
  const rows: { micro_usdc: string }[] = await database.query(
    `SELECT micro_usdc FROM ledger_entries WHERE account_id = $1 AND type = 'deposit'`,
    [account],
  );
  return rows.map(({ micro_usdc }) => micro_usdc);
}

test('runs of the deposits job look at some hundred accounts each, and at all of 700 in three runs', async () => {
  balances.set(last, 5n);
  for (let run = 0; run < 3; run++) await deposits.poll();
  expect(new Set(requests.flat())).toEqual(new Set(ids));
  expect(Math.max(...requests.map((tokens) => tokens.length))).toBeLessThanOrEqual(400);
  expect(await depositsIn(last)).toEqual(['5']);
});

test('the deposits job begins with the first accounts again after the last ones', async () => {
  for (let run = 0; run < 3; run++) await deposits.poll();
  const first = ids[0] ?? '';
  balances.set(first, 7n);
  await deposits.poll();
  expect(await depositsIn(first)).toEqual(['7']);
});

test('each run of the deposits job looks at accounts whose ledger has just grown', async () => {
  await database.query(
    `INSERT INTO ledger_entries (id, operator_id, account_id, type, direction, micro_usdc, signature, created_at, settled_at) VALUES ($1, $2, $3, 'transfer', 'in', 5, 's', now(), now())`,
    [newId('txn'), operator, last],
  );
  await deposits.poll();
  expect(read).toEqual([last]);
});

test('more changed accounts than one run reads are read by the next runs', async () => {
  for (const id of ids.slice(0, 250)) balances.set(id, 3n);
  for (let run = 0; run < 3; run++) await deposits.poll();
  const [row]: { count: number }[] = await database.query(`SELECT count(*)::int AS count FROM ledger_entries WHERE type = 'deposit'`);
  expect(row?.count).toBe(250);
});
