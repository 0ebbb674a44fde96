import type { DataSource } from 'typeorm';
import { ChainUnavailableError, HistoryCutError } from '#chain';
import { createDataSource, firstIdAt, newId } from '#database';
import { createMigratedDatabase, type TestDatabase } from '../../../../../test/support/database';
import { JobsService } from '../../jobs/jobs.service';
import { OutboxService } from '../../events';
import { LedgerService } from '../../ledger';
import { IncomingPayments } from './incoming-payments';
import { DepositReader } from './deposit-reader';
import { DepositsService } from './deposits.service';
import { insertAccount, insertOperator } from '../../../../../test/support/accounts';

/** The step in place of each pause. */
let meanwhile: () => Promise<void>;
jest.mock('node:timers/promises', () => ({ setTimeout: () => meanwhile() }));

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
/** The transactions of a token account that the node has, oldest first; by default one. */
let lists: Map<string, string[]>;
/** The transactions that a node was asked for. */
let shown: string[];
/** Micro-USDC that a transaction changed, if it is not the whole balance. */
let changes: Map<string, bigint>;
/** Token accounts whose transactions no node returns. */
let broken: Set<string>;
let unresolved: object[];

beforeEach(async () => {
  meanwhile = async () => undefined;
  testDatabase = await createMigratedDatabase();
  database = createDataSource({ url: testDatabase.url, applicationName: 'deposits test' });
  await database.initialize();
  await insertOperator(database, operator);
  await Promise.all(ids.map((id) => insertAccount(database, { id, operatorId: operator, readAt: new Date() })));
  [balances, requests, read, shown] = [new Map(), [], [], []];
  [lists, changes, broken, unresolved] = [new Map(), new Map(), new Set(), []];
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
        if (broken.has(token)) throw new ChainUnavailableError('no history');
        const listed = lists.get(token);
        if (!listed) return after === null ? [`signature of ${token}`] : [];
        if (after !== null && !listed.includes(after)) throw new HistoryCutError('it was pruned');
        return listed.slice(after === null ? 0 : listed.indexOf(after) + 1);
      },
      signatures: async function* (token: string) {
        yield [...(lists.get(token) ?? [])].reverse();
      },
      changeIn: async (signature: string, token: string) => {
        shown.push(signature);
        const balance = balances.get(token) ?? 0n;
        return { microUsdc: changes.get(signature) ?? balance, after: balance, ours: 0n, transfers: [], sender: 'sender' };
      },
      movedInto: async () => [],
    },
  };
  const lowBalances = { eventsOf: async () => [] };
  const ledger = new LedgerService(database, clock);
  const outbox = new OutboxService(clock);
  const amounts = {
    ofId: async (id: string) => {
      const balance = balances.get(id) ?? 0n;
      return { microUsdc: (await ledger.net(id)) - balance, unresolved, balance };
    },
  };
  const incoming = new IncomingPayments(database, chain as never);
  const reader = new DepositReader(database, clock, chain as never, ledger, outbox, lowBalances as never, incoming, amounts as never);
  deposits = new DepositsService(database, clock, chain as never, new JobsService(), ledger, reader);
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

async function recordTransferTo(account: string, signature: string): Promise<void> {
  await database.query(
    `INSERT INTO ledger_entries (id, operator_id, account_id, type, direction, micro_usdc, signature, created_at, settled_at) VALUES ($1, $2, $3, 'transfer', 'in', 5, $4, now(), now())`,
    [newId('txn'), operator, account, signature],
  );
}

test('each run of the deposits job looks at accounts whose ledger has just grown', async () => {
  await recordTransferTo(last, 's');
  await deposits.poll();
  expect(read).toEqual([last]);
});

test('a transfer that is recorded just after it landed is not read from a node', async () => {
  const [account = ''] = ids;
  lists.set(account, ['funding']);
  balances.set(account, 7n);
  await deposits.poll();
  lists.set(account, ['funding', 'landed']);
  balances.set(account, 12n);
  meanwhile = () => recordTransferTo(account, 'landed');
  await deposits.poll();
  expect([new Set(shown), await depositsIn(account)]).toEqual([new Set(['funding']), ['7']]);
});

test('more changed accounts than one run reads are read by the next runs', async () => {
  for (const id of ids.slice(0, 250)) balances.set(id, 3n);
  for (let run = 0; run < 3; run++) await deposits.poll();
  const [row]: { count: number }[] = await database.query(`SELECT count(*)::int AS count FROM ledger_entries WHERE type = 'deposit'`);
  expect(row?.count).toBe(250);
});

test('what arrived in an account before a node pruned all its transactions is one deposit without a counterparty', async () => {
  const [account = ''] = ids;
  lists.set(account, []);
  balances.set(account, 9n);
  for (let run = 0; run < 4; run++) await deposits.poll();
  expect(await depositsIn(account)).toEqual(['9']);
});

describe('a node that does not have the transaction that was read last', () => {
  const [account = ''] = ids;
  /** The deposits as [amount, counterparty]. */
  const found = async (): Promise<unknown[]> =>
    (
      await database.query<{ micro_usdc: string; counterparty: string | null }[]>(
        `SELECT micro_usdc, counterparty FROM ledger_entries WHERE account_id = $1 ORDER BY id`,
        [account],
      )
    ).map(({ micro_usdc, counterparty }) => [micro_usdc, counterparty]);
  const pollTwice = async (): Promise<void> => {
    await deposits.poll();
    for (let run = 0; run < 3; run++) await deposits.poll();
  };

  beforeEach(async () => {
    lists.set(account, ['first']);
    balances.set(account, 5n);
    await deposits.poll();
    expect(await found()).toEqual([['5', 'sender']]);
  });

  test('the deposits after it are read from what a pruned history still has, once', async () => {
    lists.set(account, ['second', 'third']);
    for (const signature of ['second', 'third']) changes.set(signature, 2n);
    balances.set(account, 9n);
    await pollTwice();
    expect(await found()).toEqual([
      ['5', 'sender'],
      ['2', 'sender'],
      ['2', 'sender'],
    ]);
  });

  test('what arrived in transactions that were pruned is one deposit without a counterparty', async () => {
    lists.set(account, []);
    balances.set(account, 12n);
    await pollTwice();
    expect(await found()).toEqual([
      ['5', 'sender'],
      ['7', null],
    ]);
    lists.set(account, ['later']);
    changes.set('later', 1n);
    balances.set(account, 13n);
    await pollTwice();
    expect(await found()).toEqual([
      ['5', 'sender'],
      ['7', null],
      ['1', 'sender'],
    ]);
  });

  test('a difference is a deposit once nothing of the account is unresolved', async () => {
    lists.set(account, []);
    balances.set(account, 12n);
    unresolved = [{ id: 'a session' }];
    await pollTwice();
    expect(await found()).toEqual([['5', 'sender']]);
    unresolved = [];
    await deposits.readToEnd(account);
    expect(await found()).toEqual([
      ['5', 'sender'],
      ['7', null],
    ]);
  });

  test('after a rollback, reading goes on after the newest transaction that the ledger has', async () => {
    lists.set(account, ['first', 'second']);
    changes.set('second', 1n);
    balances.set(account, 6n);
    await deposits.poll();
    await deposits.poll();
    // The second one was rolled back, and a third one landed. An older transaction moved nothing.
    lists.set(account, ['nothing', 'first', 'third']);
    changes.set('third', 4n);
    balances.set(account, 9n);
    await pollTwice();
    expect(await found()).toEqual([
      ['5', 'sender'],
      ['1', 'sender'],
      ['4', 'sender'],
    ]);
  });
});

test('an account whose transactions no node returns holds up no other account', async () => {
  const [unread = '', other = ''] = ids;
  broken.add(unread);
  for (const id of [unread, other, last]) balances.set(id, 4n);
  for (let run = 0; run < 3; run++) await deposits.poll();
  expect([await depositsIn(unread), await depositsIn(other), await depositsIn(last)]).toEqual([[], ['4'], ['4']]);
  broken.clear();
  await deposits.poll();
  expect(await depositsIn(unread)).toEqual(['4']);
});
