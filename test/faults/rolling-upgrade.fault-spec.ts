import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { api, type Answer, type Api } from '../support/api';
import { eventually } from '../support/eventually';
import { startBeside } from '../support/operators';
import { buildPreviousVersion, type PreviousVersion } from '../support/previous-version';
import { RetryingProxy } from '../support/retrying-proxy';
import { startServiceFromNothing, type Service } from '../support/service';
import { anAccount, balanceOf, order, type TestAccount } from '../support/world';

jest.setTimeout(400_000);

/** How long both versions serve side by side. */
const TOGETHER_MS = 10_000;

let previous: PreviousVersion;
/** The first serves the database and the chain, too, and stays. */
let old: Service;
let replaced: Service;
beforeAll(async () => {
  const variables = { DRAIN_DELAY_MS: '3000' };
  previous = await buildPreviousVersion();
  const { command } = previous;
  old = await startServiceFromNothing({ command, variables });
  replaced = await startBeside(old, { command, variables });
});
afterAll(async () => {
  await replaced?.stop();
  await old?.stop();
  previous?.remove();
});

/** Requests that clients make all the time, each with an account of its own: a call, and the status that it must answer. */
const CLIENTS: Record<string, (by: Api, account: TestAccount, payee: TestAccount) => [number, () => Promise<Answer>][]> = {
  transfers: (by, account, payee) => [[200, () => by.post('/v1/transfers', order(account, payee, '0.000001'))]],
  reads: (by, account) => [
    [200, () => by.get(`/v1/accounts/${account.id}`)],
    [200, () => by.get(`/v1/accounts/${account.id}/transactions`)],
    [200, () => by.get('/v1/transfers?status=settled')],
  ],
  policies: (by, account) => [
    [200, () => by.put(`/v1/accounts/${account.id}/policy`, { max_daily_spend: 5, categories: ['data'] })],
    [200, () => by.put(`/v1/accounts/${account.id}/policy`, { paused: true })],
    [200, () => by.put(`/v1/accounts/${account.id}/policy`, { paused: false, categories: null })],
  ],
  sessions: (by, account, payee) => {
    let id = '';
    const session = { account_id: account.id, provider: 'https://api.example.com', payee: payee.address, cap: '1' };
    const open = async (): Promise<Answer> => {
      const answer = await by.post('/v1/sessions', { ...session, idempotency_key: randomUUID() });
      id = answer.body.session_id;
      return answer;
    };
    return [
      [201, open],
      [200, () => by.post(`/v1/sessions/${id}/close`)],
    ];
  },
  purses: (by, account) => {
    let id = '';
    const open = async (): Promise<Answer> => {
      const answer = await by.post('/v1/purses', { account_id: account.id, amount: '1', idempotency_key: randomUUID() });
      id = answer.body.purse_id;
      return answer;
    };
    return [
      [201, open],
      [200, () => by.post(`/v1/purses/${id}/close`)],
    ];
  },
  accounts: (by) => [[201, () => by.post('/v1/accounts', { name: 'new' })]],
};

test('two versions serve at once: no request fails while one server is upgraded and migrates, and none afterwards', async () => {
  const direct = api(old.baseUrl, old.operatorKey);
  const payee = await anAccount({ by: direct });
  const proxy = new RetryingProxy([old.baseUrl, replaced.baseUrl]);
  await proxy.start();
  const by = api(proxy.url, old.operatorKey);
  let isOver = false;
  const load = async (name: string): Promise<{ name: string; wrong: Answer[]; count: number; account: TestAccount }> => {
    const account = await anAccount({ usdc: '1000', by: direct });
    const calls = CLIENTS[name]!(by, account, payee);
    const wrong: Answer[] = [];
    let count = 0;
    for (; !isOver; count++)
      for (const [status, call] of calls) {
        const answer = await call();
        if (answer.status !== status) wrong.push(answer);
      }
    return { name, wrong, count, account };
  };
  const loads = Promise.all(Object.keys(CLIENTS).map(load));
  await pause(TOGETHER_MS / 2);
  const port = new URL(replaced.baseUrl).port;
  await replaced.stop();
  replaced = await startBeside(old, { variables: { PORT: port, DRAIN_DELAY_MS: '3000' } });
  await eventually(() => expect(proxy.isReady(replaced.baseUrl)).toBe(true), { timeoutMs: 30_000 });
  await pause(TOGETHER_MS);
  isOver = true;
  const done = await loads;
  proxy.stop();
  expect(proxy.faults).toEqual([]);
  expect(done.flatMap(({ name, wrong }) => wrong.map(({ status, body }) => ({ name, status, body })))).toEqual([]);
  expect(Math.min(...done.map(({ count }) => count))).toBeGreaterThan(1);
  const paid = done.find(({ name }) => name === 'transfers')?.count ?? 0;
  expect(await balanceOf(payee, direct)).toBe(`0.${String(paid).padStart(6, '0')}`);
});
