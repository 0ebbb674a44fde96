/** How payment channels end: by themselves when they are idle, and after a crash at each step of an end, once and with the exact sum. */
import type { Failpoint } from '../../apps/api/src/runtime/failpoints';
import { api, type Api } from '../support/api';
import { startBatchCalls, stopBatchCalls } from '../support/batch-calls';
import { BatchSeller } from '../support/batch-seller';
import { eventually } from '../support/eventually';
import type { Service } from '../support/service';
import { RUNNING, SessionCalls } from '../support/session-calls';
import { bodyOf } from '../support/world';

jest.setTimeout(300_000);

const IDLE_SECONDS = 600;
const GRACE = 905;

let service: Service;
let by: Api;
let seller: BatchSeller;
let calls: SessionCalls;
beforeAll(async () => void ({ service, by, seller, calls } = await startBatchCalls({ extra: { maxIdleSecs: IDLE_SECONDS } })));
afterAll(() => stopBatchCalls({ service, seller }));
afterEach(() => calls.lostNothing());

const advance = async (advance_seconds: number): Promise<void> => {
  bodyOf(await by.post('/v1/sandbox/clock', { advance_seconds }), 200);
};

/** Restarts the service, whose chain has another address then: it dies at a failpoint, or at none. */
async function restart(point?: Failpoint): Promise<void> {
  await service.restart({ signal: 'SIGKILL', variables: { ...RUNNING, ...(point && { CRASH_AT: point }) } });
  by = api(service.baseUrl, service.operatorKey);
  calls = new SessionCalls(service, by, seller);
}

const hasDied = (): Promise<void> =>
  eventually(async () => expect(await by.get('/v1/me').catch(() => null)).toBeNull(), { timeoutMs: 120_000 });

test('a channel that is idle for as long as its seller said is closed, and its purse stays open; each call puts that off', async () => {
  const agent = await calls.account();
  const purse_id = await calls.purse(agent);
  bodyOf(await calls.pay(calls.order(agent, { purse_id })), 200);
  await advance(IDLE_SECONDS - 200);
  bodyOf(await calls.pay(calls.order(agent, { purse_id })), 200);
  await advance(IDLE_SECONDS - 200);
  bodyOf(await calls.pay(calls.order(agent, { purse_id })), 200);
  expect(await calls.channels(purse_id)).toMatchObject([{ status: 'open' }]);
  await advance(IDLE_SECONDS + 1);
  await eventually(async () => expect(await calls.channels(purse_id)).toMatchObject([{ status: 'closed', settled_usdc: '0.003000' }]), {
    timeoutMs: 60_000,
  });
  expect(bodyOf(await by.get(`/v1/purses/${purse_id}`), 200)).toMatchObject({ status: 'open', spent_usdc: '0.003000' });
  bodyOf(await calls.pay(calls.order(agent, { purse_id })), 200);
  await by.post(`/v1/purses/${purse_id}/close`);
  await calls.isSettled(agent, purse_id, '0.004000', 2);
});

test.each<Failpoint>(['channel.closing', 'channel.swept'])(
  'a process killed at %s of a purse with an open channel ends it once, with the exact sum',
  async (point) => {
    const agent = await calls.account();
    const purse_id = await calls.purse(agent);
    bodyOf(await calls.pay(calls.order(agent, { purse_id })), 200);
    await restart(point);
    await by.post(`/v1/purses/${purse_id}/close`).catch(() => undefined);
    await hasDied();
    await restart();
    expect(bodyOf(await by.get(`/v1/purses/${purse_id}`), 200).status).not.toBe('open');
    await calls.isSettled(agent, purse_id, '0.001000');
  },
);

test('a process killed at channel.seller_asked leaves the channel to its forced end, which pays what the seller claims', async () => {
  const agent = await calls.account();
  const purse_id = await calls.purse(agent);
  bodyOf(await calls.pay(calls.order(agent, { purse_id })), 200);
  const [channel] = await calls.channels(purse_id);
  await restart('channel.seller_asked');
  await by.post(`/v1/purses/${purse_id}/close`);
  await hasDied();
  await restart();
  await seller.claim(String(channel?.channel_address));
  await eventually(async () => expect(await calls.channels(purse_id)).toMatchObject([{ status: 'closing' }]), { timeoutMs: 150_000 });
  await advance(GRACE);
  await calls.isSettled(agent, purse_id, '0.001000');
});

test('a process killed at channel.close_requested requests it once, and the whole deposit of a seller that is gone comes home', async () => {
  const gone = await BatchSeller.start(service, 1_000n);
  const agent = await calls.account();
  const purse_id = await calls.purse(agent);
  bodyOf(await calls.pay(calls.order(agent, { purse_id, request: { method: 'GET', url: gone.url } })), 200);
  gone.stop();
  await restart('channel.close_requested');
  await by.post(`/v1/purses/${purse_id}/close`);
  await hasDied();
  await restart();
  await eventually(async () => expect(await calls.channels(purse_id)).toMatchObject([{ status: 'closing' }]), { timeoutMs: 60_000 });
  await advance(GRACE);
  await calls.isSettled(agent, purse_id, '0.000000');
});
