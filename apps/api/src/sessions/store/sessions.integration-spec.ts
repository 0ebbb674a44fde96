import { Allowances } from '../../allowances';
import { type DataSource } from 'typeorm';
import { createDataSource, firstIdAt, newId } from '#database';
import { listedAccounts, operatorCaller } from '../../../../../test/support/caller';
import { createMigratedDatabase, type TestDatabase } from '../../../../../test/support/database';
import { ReadRows } from '../../../../../test/support/rows-read';
import { Session } from '../session.entity';
import { SessionReader } from './session-reader';
import type { ListSessionsQuery } from '../sessions.dto';
import { SessionsService } from '../sessions.service';
import { insertAccount, insertOperator } from '../../../../../test/support/accounts';

jest.setTimeout(60_000);

/** Sessions of an operator, one a second, all settled but the eighth, which is open. */
const SESSIONS = 30_000;
const OPEN = 7;
const STARTED_AT = Date.UTC(2026, 0, 1);
const operator = newId('op');
const account = newId('acct');
const caller = operatorCaller(operator);

let testDatabase: TestDatabase;
let database: DataSource;
let read: ReadRows;
let sessions: SessionsService;

beforeAll(async () => {
  testDatabase = await createMigratedDatabase();
  database = createDataSource({ url: testDatabase.url, applicationName: 'sessions test', entities: [Session] });
  await database.initialize();
  read = new ReadRows(database, 'sessions');
  await fill();
  // Listing sessions that have opened uses neither the chain nor their orders.
  const unused = {} as never;
  const reader = new SessionReader(database);
  const allowances = new Allowances(listedAccounts as never, unused, unused, unused, unused, unused, unused);
  sessions = new SessionsService(database, unused, unused, unused, unused, allowances, reader, unused, unused, unused);
});
afterAll(async () => {
  await database.destroy();
  await testDatabase.drop();
});

async function fill(): Promise<void> {
  await insertOperator(database, operator);
  await insertAccount(database, { id: account, operatorId: operator });
  const ids = Array.from({ length: SESSIONS }, (_, index) => firstIdAt('sess', new Date(STARTED_AT + index * 1_000)));
  await database.query(
    `INSERT INTO sessions (id, operator_id, account_id, provider, payee, grace_seconds, expires_in_seconds, voucher_key, voucher_key_sealed, state, address,
                           cap_micro_usdc, returned_micro_usdc, end_signature, created_at, opened_at, expires_at, closed_at)
     SELECT id, $2, $3, 'https://api.example.com', 'p', 0, 60, 'k', 's', CASE WHEN is_open THEN 'open' ELSE 'settled' END, id, 1, CASE WHEN is_open THEN 0 ELSE 1 END,
            CASE WHEN is_open THEN NULL ELSE 's' END, now(), now(), now(), CASE WHEN is_open THEN NULL ELSE now() END
     FROM (SELECT id, index = $4 + 1 AS is_open FROM unnest($1::text[]) WITH ORDINALITY AS given (id, index)) AS given`,
    [ids, operator, account, OPEN],
  );
  await database.query('ANALYZE sessions');
}

test.each<[string, Partial<ListSessionsQuery>, number]>([
  ['the first page', {}, 20],
  ['a rare status', { status: 'open' }, 1],
  ['an absent status', { status: 'closing' }, 0],
  ['a rare status of an account', { status: 'open', account_id: account }, 1],
  ['an account without sessions', { account_id: newId('acct') }, 0],
])('listing sessions by %s reads fewer than 1,000 rows of 30,000', async (_what, query, count) => {
  expect((await sessions.list(caller, { limit: 20, ...query })).data).toHaveLength(count);
  expect(await read.ofLatest()).toBeLessThan(1_000);
});
