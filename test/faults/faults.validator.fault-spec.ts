import type { Answer, Api, Body } from '../support/api';
import type { ChainProxy, Fate } from '../support/chain-proxy';
import type { RpcCall } from '../support/rpc-messages';
import { eventually } from '../support/eventually';
import { startBehindProxy } from '../support/proxied-service';
import { sharedService, type Service } from '../support/service';
import {
  anAccount,
  balanceOf,
  chainBalance,
  eventsOf,
  bodyOf,
  landedSignatures,
  micro,
  order,
  query,
  seeded,
  setPolicy,
  countByStatus,
  type TestAccount,
} from '../support/world';

jest.setTimeout(120_000);

/** How long a caller may wait for the 503 of an unreachable chain: less than the 30 seconds that a request waits for settlement. */
const SOON_MS = 15_000;

let proxy: ChainProxy;
let service: Service;
let operator: Api;
let stop: () => Promise<void>;
beforeAll(async () => {
  // The time-out of calls is as in production. Other tests give a validator beside them more time.
  const settings = { SETTLEMENT_WAIT_MS: '3000', RPC_TIMEOUT_MS: '3000', LOG_LEVEL: 'error' };
  ({ proxy, service, by: operator, stop } = await startBehindProxy(sharedService(), settings));
});
afterEach(() => proxy.up());
afterAll(() => stop());

const send = (body: unknown) => operator.post('/v1/transfers', body);
const rows = (statement: string, values: unknown[] = []) => query(statement, values, service.sandbox.database_url);
const parties = async (usdc = '100'): Promise<[TestAccount, TestAccount]> => [
  await anAccount({ usdc, by: operator }),
  await anAccount({ by: operator }),
];
const settled = (id: string) =>
  eventually(
    async () => {
      const { body } = await operator.get(`/v1/transfers/${id}`);
      if (body.status !== 'settled') throw new Error(`it is ${JSON.stringify(body)}`);
      return body as Body;
    },
    { timeoutMs: 60_000 },
  );

/** Applies these fates to calls of this method, in order; others pass. */
const on =
  (fates: Record<string, Fate | ((call: RpcCall) => Fate)>) =>
  (call: RpcCall): Fate => {
    const fate = fates[call.method] ?? 'pass';
    return typeof fate === 'function' ? fate(call) : fate;
  };
const blind: Record<string, Fate | ((call: RpcCall) => Fate)> = {
  getSignatureStatuses: ({ params }) => ({ result: { context: { slot: 1 }, value: (params[0] as unknown[]).map(() => null) } }),
};
const farAhead: Record<string, Fate> = { getEpochInfo: { result: { absoluteSlot: 1, blockHeight: 1_000_000_000 } } };

/** The chain has it once, and the database agrees with the chain. */
async function isPaidOnce(a: TestAccount, b: TestAccount, { transfer_id, amount_usdc, tx_signature }: Body): Promise<void> {
  // A validator may report a landing a moment before it shows it.
  await eventually(async () => expect(await chainBalance(b.tokenAccount)).toBe(micro(amount_usdc)));
  await eventually(async () => expect(await landedSignatures(b.tokenAccount)).toContain(tx_signature));
  expect(
    (await eventsOf(a, service.sandbox.database_url)).filter(([, data]) => data.transfer_id === transfer_id).map(([type]) => type),
  ).toEqual(['transfer.initiated', 'transfer.settled']);
}

describe.each<[string, () => Promise<void> | void]>([
  ['refuses connections', () => proxy.down()],
  ['takes connections and never answers', () => void (proxy.fate = () => 'hang')],
  ['breaks every connection', () => void (proxy.fate = () => 'break')],
  ['answers with a page of HTML', () => void (proxy.fate = () => ({ text: '<html>502 Bad Gateway</html>', status: 502 }))],
  ['answers with nonsense', () => void (proxy.fate = () => ({ text: '{"jsonrpc":"2.0","id":"1","result":"seven"}' }))],
  ['lags behind', () => void (proxy.fate = () => ({ error: { code: -32016, message: 'Minimum context slot has not been reached' } }))],
])('a chain that %s', (_how, breakIt) => {
  test('requests that need the chain answer 503 in time, lists show the last known state, and a repeated request succeeds', async () => {
    const [a, b] = await parties('7');
    await setPolicy(a, { max_daily_spend: 6 }, operator);
    const given = order(a, b, '2');
    await breakIt();

    const began = Date.now();
    const calls: Promise<Answer>[] = [
      send(given),
      send(given),
      operator.get(`/v1/accounts/${a.id}`),
      operator.get(`/v1/accounts/${a.id}/balance`),
      operator.get(`/v1/accounts/${a.id}/policy`),
      operator.get(`/v1/accounts/${a.id}/spending`),
      operator.put(`/v1/accounts/${a.id}/policy`, { max_daily_spend: 5 }),
      operator.put(`/v1/accounts/${a.id}/policy`, { paused: true }),
      operator.post('/v1/accounts', { name: 'never' }),
    ];
    for (const { status, body, headers } of await Promise.all(calls)) {
      expect([status, body.error, Number(headers.get('Retry-After'))]).toEqual([503, 'chain_unavailable', expect.any(Number)]);
      expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0);
    }
    expect(Date.now() - began).toBeLessThan(SOON_MS);

    const { data } = bodyOf(await operator.get('/v1/accounts?limit=2'), 200);
    expect(data).toMatchObject([
      { account_id: b.id, balance_usdc: '0.000000' },
      { account_id: a.id, balance_usdc: '7.000000', policy: { max_daily_spend: 6 }, balance_as_of: expect.any(String) },
    ]);
    for (const path of ['/v1/transfers', `/v1/accounts/${a.id}/transactions`]) bodyOf(await operator.get(path), 200);
    const [failed] = bodyOf(await operator.get(`/v1/transfers?idempotency_key=${given.idempotency_key}`), 200).data;
    expect(failed).toMatchObject({ status: 'failed', from: a.id });
    expect((await send({ ...given, amount: '3' })).body.error).toBe('idempotency_conflict');

    await proxy.up();
    // 202 on a slow chain, until it is settled.
    const done = await eventually(async () => bodyOf(await send(given), 200), { timeoutMs: 60_000 });
    expect(done.transfer_id).toBe(failed.transfer_id);
    await isPaidOnce(a, b, done);
    expect(bodyOf(await operator.get(`/v1/accounts/${a.id}`), 200)).toMatchObject({ balance_usdc: '5.000000', status: 'active' });
    expect((await operator.get('/v1/accounts?limit=1')).body.data[0].name).not.toBe('never');
  });
});

describe('transfers whose submission is disturbed', () => {
  test('a transfer settles although the answer to its submission was lost', async () => {
    const [a, b] = await parties();
    proxy.fate = on({ sendTransaction: 'lose' });
    const { status, body } = await send(order(a, b, '1'));
    expect([200, 202]).toContain(status);
    await isPaidOnce(a, b, await settled(body.transfer_id));
  });

  test('a transfer settles although the node wrongly reported it as rejected', async () => {
    const [a, b] = await parties();
    const given = order(a, b, '1');
    let rejections = 1;
    proxy.fate = on({
      sendTransaction: () =>
        rejections-- > 0 ? { error: { code: -32002, message: 'Transaction simulation failed: Blockhash not found' } } : 'pass',
    });
    const { status, body } = await send(given);
    expect([200, 202]).toContain(status);
    await isPaidOnce(a, b, await settled(body.transfer_id));
  });

  test('a transfer that is not seen to land answers 202, and settles by itself once it is seen', async () => {
    const [a, b] = await parties();
    const given = order(a, b, '1');
    proxy.cutWebSockets();
    proxy.fate = on({ ...blind, sendTransaction: 'lose' });
    const { status, body } = await send(given);
    expect([status, body.status, body.message]).toEqual([202, 'submitted', expect.stringContaining('same key')]);
    await eventually(async () => expect(await chainBalance(b.tokenAccount)).toBe(1_000_000n));
    const again = await send(given);
    expect([again.status, again.body.transfer_id, again.headers.get('Idempotent-Replayed')]).toEqual([202, body.transfer_id, 'true']);
    await proxy.up();
    const done = await settled(body.transfer_id);
    await isPaidOnce(a, b, done);
    expect(bodyOf(await send(given), 200)).toEqual(done);
  });

  test('a transfer that the node dropped is resubmitted, once', async () => {
    const [a, b] = await parties();
    proxy.fate = on({ sendTransaction: ({ params }) => ({ result: String(params[0]).slice(0, 10) }) });
    const { status, body } = await send(order(a, b, '1'));
    expect([status, await chainBalance(b.tokenAccount)]).toEqual([202, 0n]);
    await proxy.up();
    await isPaidOnce(a, b, await settled(body.transfer_id));
  });

  test('a landed transfer that every node reports as expired is found by its nonce, and paid once', async () => {
    const [a, b] = await parties();
    proxy.cutWebSockets();
    proxy.fate = on({ ...blind, ...farAhead });
    const { body } = await send(order(a, b, '1'));
    const done = await settled(body.transfer_id);
    await isPaidOnce(a, b, done);
    // If the chain was slower than the lie, it was signed again with the same nonce.
    expect(await rows('SELECT DISTINCT seq FROM order_attempts WHERE order_id = $1', [body.transfer_id])).toHaveLength(1);
  });

  test('a transfer that expired is signed again with the same nonce, and paid once although both are submitted', async () => {
    const [a, b] = await parties();
    const sent: unknown[] = [];
    proxy.cutWebSockets();
    proxy.fate = on({
      ...blind,
      ...farAhead,
      sendTransaction: ({ params }) => (sent.push(params), { error: { code: -32003, message: 'lost' } }),
    });
    const { status, body } = await send(order(a, b, '1'));
    expect(status).toBe(202);
    const attempts = () => rows('SELECT DISTINCT seq FROM order_attempts WHERE order_id = $1', [body.transfer_id]);
    await eventually(async () =>
      expect(await rows('SELECT signature FROM order_attempts WHERE order_id = $1 OFFSET 1', [body.transfer_id])).not.toEqual([]),
    );
    expect(await attempts()).toHaveLength(1);
    await proxy.up();
    for (const params of sent)
      await fetch(proxy.url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sendTransaction', params }),
      });
    const done = await settled(body.transfer_id);
    await isPaidOnce(a, b, done);
    expect(await attempts()).toHaveLength(1);
  });

  test('a transfer that failed on chain while every node reports it as landed is rejected and moves nothing', async () => {
    const [a, b] = await parties();
    await setPolicy(a, { max_daily_spend: 1 }, operator);
    const landed = { slot: 1, confirmations: null, err: null, status: { Ok: null }, confirmationStatus: 'confirmed' };
    proxy.cutWebSockets();
    proxy.fate = on({
      getSignatureStatuses: ({ params }) => ({ result: { context: { slot: 1 }, value: (params[0] as unknown[]).map(() => landed) } }),
    });
    const given = ['0.6', '0.7'].map((amount) => order(a, b, amount));
    await Promise.all(given.map(send));
    await proxy.up();
    const answers = await eventually(
      async () => {
        const repeated = await Promise.all(given.map(send));
        expect(countByStatus(repeated)).toEqual({ 200: 1, 402: 1 });
        return repeated;
      },
      { timeoutMs: 40_000 },
    );
    const [paid] = answers.filter(({ status }) => status === 200);
    await eventually(async () => expect(await chainBalance(b.tokenAccount)).toBe(micro(paid?.body.amount_usdc)));
    expect(answers.find(({ status }) => status === 402)?.body.rejection_reason).toBe('max_daily_spend');
  });

  test('a transfer approved while the chain is unreachable still waits for approval', async () => {
    const [a, b] = await parties();
    await setPolicy(a, { escalation_threshold: 1 }, operator);
    const { transfer_id } = bodyOf(await send(order(a, b, '1')), 202);
    await proxy.down();
    expect((await operator.post(`/v1/transfers/${transfer_id}/approve`)).status).toBe(503);
    expect(bodyOf(await operator.get(`/v1/transfers/${transfer_id}`), 200).status).toBe('pending_approval');
    await proxy.up();
    expect([200, 202]).toContain((await operator.post(`/v1/transfers/${transfer_id}/approve`)).status);
    await isPaidOnce(a, b, await settled(transfer_id)).catch((error: unknown) => {
      // Here an escalation came first.
      if (!String(error).includes('escalation.required')) throw error;
    });
    expect(await balanceOf(b, operator)).toBe('1.000000');
  });
});

describe('while no transaction is seen to land', () => {
  test('a creation answers 503, and the account exists once, by recovery or by the same key', async () => {
    const headers = { 'Idempotency-Key': `unseen ${Date.now()}` };
    proxy.cutWebSockets();
    proxy.fate = on({ ...blind, ...farAhead, getMultipleAccounts: { error: { code: -32005, message: 'Node is unhealthy' } } });
    let reads = 1;
    const sight = proxy.fate;
    // The first status request passes, or else nothing would be sent at all.
    proxy.fate = (call) => (call.method === 'getMultipleAccounts' && reads-- > 0 ? 'pass' : sight(call));
    const { status, body } = await operator.post('/v1/accounts', { name: 'unseen' }, headers);
    expect([status, body.error]).toEqual([503, 'chain_unavailable']);
    await proxy.up();
    const unseen = async () => bodyOf(await operator.get('/v1/accounts'), 200).data.filter(({ name }: Body) => name === 'unseen');
    await eventually(async () => expect(await unseen()).toHaveLength(1));
    const again = bodyOf(await operator.post('/v1/accounts', { name: 'unseen' }, headers), 201);
    expect((await unseen()).map(({ account_id }: Body) => account_id)).toEqual([again.account_id]);
  });

  test('a policy change answers 503 and may have taken effect, which GET shows', async () => {
    const [a] = await parties();
    proxy.cutWebSockets();
    proxy.fate = on({ ...blind, ...farAhead });
    expect((await operator.put(`/v1/accounts/${a.id}/policy`, { paused: true })).body.error).toBe('chain_unavailable');
    await proxy.up();
    // The node that was said to be far ahead may not have confirmed the change yet.
    await eventually(async () => expect(bodyOf(await operator.get(`/v1/accounts/${a.id}/policy`), 200).paused).toBe(true));
    const { data } = bodyOf(await operator.get('/v1/accounts?status=paused'), 200);
    expect(data.map(({ account_id }: Body) => account_id)).toContain(a.id);
  });
});

test('with random faults of the nodes, each of thirty transfers is paid once or not at all, and the ledger equals the chain', async () => {
  const [seed, a, b] = [20_261_121, ...(await parties('1000'))] as const;
  const random = seeded(seed);
  const orders = Array.from({ length: 30 }, () =>
    order(a, b, `${1 + Math.floor(random() * 5)}.${String(Math.floor(random() * 1e6)).padStart(6, '0')}`),
  );
  const fates: Fate[] = [
    'break',
    'lose',
    { text: 'nonsense' },
    { error: { code: -32005, message: 'Node is unhealthy' } },
    { text: '', status: 429 },
  ];
  proxy.fate = () => (random() < 0.7 ? 'pass' : (fates[Math.floor(random() * fates.length)] ?? 'pass'));
  const first = await Promise.all(orders.map(send));
  expect(Object.keys(countByStatus(first)).filter((status) => !['200', '202', '503'].includes(status))).toEqual([]);
  await proxy.up();
  await eventually(async () => expect(countByStatus(await Promise.all(orders.map(send)))).toEqual({ 200: 30 }), { timeoutMs: 60_000 });
  const total = orders.reduce((sum, { amount }) => sum + micro(amount), 0n);
  await eventually(async () =>
    expect(await Promise.all([chainBalance(a.tokenAccount), chainBalance(b.tokenAccount)])).toEqual([1_000_000_000n - total, total]),
  );
  const [ledger] = await rows(
    `SELECT count(*)::int AS count, sum(micro_usdc)::text AS total FROM orders WHERE account_id = $1 AND status = 'settled'`,
    [a.id],
  );
  expect(ledger).toEqual({ count: 30, total: total.toString() });
  const settledEvents = (await eventsOf(a, service.sandbox.database_url))
    .filter(([type]) => type === 'transfer.settled')
    .map(([, data]) => data.transfer_id);
  expect([settledEvents.length, new Set(settledEvents).size]).toEqual([30, 30]);
});
