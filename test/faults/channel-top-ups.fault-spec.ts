/** Top-ups of MPP channels at the stock seller of PyPI: used-up deposits, lost answers, crashes, and sellers that refuse. */
import type { Failpoint } from '../../apps/api/src/runtime/failpoints';
import { api, type Api, type Body } from '../support/api';
import { SessionSeller, testWithSeller } from '../support/mpp-session-seller';
import { startService, type Service } from '../support/service';
import { RUNNING, SessionCalls } from '../support/session-calls';
import { bodyOf, type TestAccount } from '../support/world';

jest.setTimeout(300_000);

let service: Service;
let by: Api;
let seller: SessionSeller;
let calls: SessionCalls;
beforeAll(async () => {
  service = await startService({ variables: RUNNING });
  by = api(service.baseUrl, service.operatorKey);
  seller = await SessionSeller.start(service, { amount: 1_000, deposit: 2_000 });
  calls = new SessionCalls(service, by, seller);
});
afterAll(async () => {
  seller.stop();
  await service.stop();
});

const opening = { open_session: { cap: '0.005' } };

/** Makes two calls, which use up a deposit of 2,000. Returns the purse. */
async function usedUp(agent: TestAccount, path?: string, more: Body = opening): Promise<unknown> {
  const first = bodyOf(await calls.pay(calls.order(agent, more, path)), 200);
  bodyOf(await calls.pay(calls.order(agent, {}, path)), 200);
  return first.purse_id;
}

testWithSeller('a channel that is used up is topped up by as much, then by the rest of its purse, and no further', async () => {
  const agent = await calls.account();
  const purseId = await usedUp(agent);
  const dry = bodyOf(await by.post('/v1/payments', calls.order(agent), { 'Dry-Run': 'true' }), 200);
  expect(dry).toMatchObject({ allowed: true });
  expect(await calls.channels(purseId)).toMatchObject([{ deposit_usdc: '0.002000', status: 'open' }]);
  bodyOf(await calls.pay(calls.order(agent)), 200);
  expect(await calls.channels(purseId)).toMatchObject([{ deposit_usdc: '0.004000', status: 'open' }]);
  for (const _ of [4, 5]) bodyOf(await calls.pay(calls.order(agent)), 200);
  expect(await calls.channels(purseId)).toMatchObject([{ deposit_usdc: '0.005000', status: 'open' }]);
  const sixth = bodyOf(await calls.pay(calls.order(agent, { purse_id: purseId })), 402);
  expect(sixth).toMatchObject({ rejection_reason: 'purse_amount' });
  await calls.closesWith(agent, purseId, '0.005000');
});

testWithSeller('calls at the same time top up once for each deposit', async () => {
  const agent = await calls.account();
  const purseId = await usedUp(agent, '/quote', { open_session: { cap: '0.01' } });
  await Promise.all([1, 2, 3, 4].map(async () => bodyOf(await calls.pay(calls.order(agent)), 200)));
  expect(await calls.channels(purseId)).toMatchObject([{ deposit_usdc: '0.006000', status: 'open' }]);
  await calls.closesWith(agent, purseId, '0.006000');
});

testWithSeller('a top-up whose answers are lost is sent again by the next call, and counts once', async () => {
  const agent = await calls.account();
  const purseId = await usedUp(agent, '/loses');
  expect((await calls.pay(calls.order(agent, {}, '/loses'))).status).toBe(503);
  expect(await calls.channels(purseId)).toMatchObject([{ deposit_usdc: '0.002000', status: 'open' }]);
  bodyOf(await calls.pay(calls.order(agent, {}, '/loses')), 200);
  expect(await calls.channels(purseId)).toMatchObject([{ deposit_usdc: '0.004000', status: 'open' }]);
  await calls.closesWith(agent, purseId, '0.003000');
});

testWithSeller.each(['/refuses', '/steals'])(
  'a seller that %s top-ups is asked to close the channel, and another follows',
  async (path) => {
    const agent = await calls.account();
    const purseId = await usedUp(agent, path, { open_session: { cap: '0.004' } });
    bodyOf(await calls.pay(calls.order(agent, { purse_id: purseId }, path)), 200);
    const [newest, first] = await calls.channels(purseId);
    expect([newest, first]).toMatchObject([
      { deposit_usdc: '0.002000', status: 'open' },
      { status: 'closed', settled_usdc: '0.002000' },
    ]);
    await calls.closesWith(agent, purseId, '0.003000', 2);
  },
);

testWithSeller.each<Failpoint>(['channel.top_up_stored', 'channel.topped_up'])(
  'a process killed at %s leaves a top-up that the next call goes on with',
  async (point) => {
    const agent = await calls.account();
    const purseId = await usedUp(agent);
    const order = calls.order(agent);
    await calls.payAndDie(point, order);
    expect(await calls.channels(purseId)).toMatchObject([{ deposit_usdc: '0.002000', status: 'open' }]);
    bodyOf(await calls.pay(calls.order(agent)), 200);
    expect(await calls.channels(purseId)).toMatchObject([{ deposit_usdc: '0.004000', status: 'open' }]);
    await calls.closesWith(agent, purseId, '0.003000');
  },
);

testWithSeller('a purse that is closed after a crash gets back a top-up that was never sent', async () => {
  const agent = await calls.account();
  const purseId = await usedUp(agent);
  await calls.payAndDie('channel.top_up_stored', calls.order(agent));
  await calls.closesWith(agent, purseId, '0.002000');
});
