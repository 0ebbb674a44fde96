/** MPP sessions on payment-channels at the stock seller of PyPI: calls, their one record, crashes and sellers that do not answer. */
import { randomUUID } from 'node:crypto';
import type { Failpoint } from '../../apps/api/src/runtime/failpoints';
import { api, type Api, type Body } from '../support/api';
import { eventually } from '../support/eventually';
import { SessionSeller, testWithSeller } from '../support/mpp-session-seller';
import { RUNNING, SessionCalls } from '../support/session-calls';
import { startService, type Service } from '../support/service';
import { bodyOf, everyRow, setPolicy } from '../support/world';

jest.setTimeout(300_000);

const GRACE = 905;

let service: Service;
let by: Api;
let seller: SessionSeller;
beforeAll(async () => {
  service = await startService({ variables: RUNNING });
  by = api(service.baseUrl, service.operatorKey);
  seller = await SessionSeller.start(service, { amount: 1_000, deposit: 50_000 });
  calls = new SessionCalls(service, by, seller);
});
afterAll(async () => {
  seller.stop();
  await service.stop();
});
afterEach(() => calls.lostNothing());

let calls: SessionCalls;
const withSession = { open_session: { cap: '0.1' } };

testWithSeller('calls are paid voucher by voucher out of one channel, also at the same time, and its close is one record', async () => {
  const agent = await calls.account();
  const before = await calls.balance(seller);
  const dry = bodyOf(await by.post('/v1/payments', calls.order(agent, withSession), { 'Dry-Run': 'true' }), 200);
  expect(dry).toMatchObject({ allowed: true, quotes: [{ protocol: 'mpp', method: 'channel', amount_usdc: '0.001000', chosen: true }] });
  const first = bodyOf(await calls.pay(calls.order(agent, withSession)), 200);
  expect(first).toMatchObject({ status: 'paid', protocol: 'mpp', method: 'channel', amount_usdc: '0.001000', session_id: null });
  const { purse_id } = first;
  const others = await Promise.all([1, 2, 3, 4, 5, 6].map(async () => bodyOf(await calls.pay(calls.order(agent)), 200)));
  others.push(
    bodyOf(await calls.pay(calls.order(agent, withSession)), 200),
    bodyOf(await calls.pay(calls.order(agent, { purse_id })), 200),
  );
  for (const payment of others) expect(payment).toMatchObject({ status: 'paid', method: 'channel', purse_id, amount_usdc: '0.001000' });
  const purse = bodyOf(await by.get(`/v1/purses/${purse_id}`), 200);
  expect(purse).toMatchObject({ kind: 'channel', payment_id: null, amount_usdc: '0.100000', host: new URL(seller.url).host });
  expect(purse.channels).toMatchObject([{ deposit_usdc: '0.050000', status: 'open', seller: seller.url, payee: seller.payee }]);
  expect(await calls.settlements(agent)).toEqual([]);
  expect(bodyOf(await by.post(`/v1/purses/${purse_id}/close`), 202).status).toBe('closing');
  await calls.isSettled(agent, purse_id, '0.009000');
  expect((await calls.balance(seller)) - before).toBe(9_000n);
});

testWithSeller(
  'authorize is declined as unsupported_method; so are sellers that make the payer pay, or keep the rest for more than a day',
  async () => {
    const agent = await calls.account();
    const challenge = (await fetch(seller.url)).headers.get('www-authenticate') ?? '';
    const purse = { kind: 'channel', amount: '0.1', idempotency_key: randomUUID(), account_id: agent.id };
    const { purse_id } = bodyOf(await by.post('/v1/purses', purse), 201);
    const body = {
      account_id: agent.id,
      idempotency_key: randomUUID(),
      max_amount: '1',
      url: seller.url,
      challenges: [challenge],
      purse_id,
    };
    expect(bodyOf(await by.post('/v1/payments/authorize', body), 402)).toMatchObject({ rejection_reason: 'unsupported_method' });
    for (const terms of [{ fee_payer: false }, { grace: 86_401 }]) {
      const odd = await SessionSeller.start(service, { amount: 1_000, deposit: 50_000, ...terms });
      const request = { method: 'GET', url: odd.url };
      expect(bodyOf(await calls.pay(calls.order(agent, { ...withSession, request })), 402)).toMatchObject({
        rejection_reason: 'unsupported_method',
      });
      odd.stop();
    }
    expect(bodyOf(await by.post(`/v1/purses/${purse_id}/close`), 202).status).toBe('closing');
    await calls.isSettled(agent, purse_id, '0.000000');
  },
);

testWithSeller('a cap below the price, or at the approval threshold, opens nothing', async () => {
  const agent = await calls.account({ escalation_threshold: 0.1 });
  expect(bodyOf(await calls.pay(calls.order(agent, { open_session: { cap: '0.000999' } })), 402)).toMatchObject({
    rejection_reason: 'session_cap',
  });
  expect(bodyOf(await calls.pay(calls.order(agent, withSession)), 402)).toMatchObject({ rejection_reason: 'escalation_threshold' });
  expect(await everyRow(`/v1/purses?account_id=${agent.id}`, by)).toEqual([]);
});

testWithSeller('a call whose answer was lost counts once: its voucher is sent again, and the next one adds to it', async () => {
  const agent = await calls.account();
  const { purse_id } = bodyOf(await calls.pay(calls.order(agent, withSession)), 200);
  const lost = calls.order(agent, {}, '/balk');
  bodyOf(await calls.pay(lost), 202);
  await eventually(async () => expect(bodyOf(await calls.pay(lost), 200)).toMatchObject({ status: 'paid_unreceipted' }), {
    timeoutMs: 60_000,
  });
  bodyOf(await calls.pay(calls.order(agent)), 200);
  await by.post(`/v1/purses/${purse_id}/close`);
  await calls.isSettled(agent, purse_id, '0.003000');
});

testWithSeller('a seller that is gone is asked, and a minute later its channel is closed by force: nothing was settled', async () => {
  const gone = await SessionSeller.start(service, { amount: 1_000, deposit: 50_000 });
  const agent = await calls.account();
  const { purse_id } = bodyOf(await calls.pay(calls.order(agent, { ...withSession, request: { method: 'GET', url: gone.url } })), 200);
  gone.stop();
  await setPolicy(agent, { paused: true }, by);
  const channel = async (): Promise<Body> => (bodyOf(await by.get(`/v1/purses/${purse_id}`), 200).channels as Body[])[0] ?? {};
  await eventually(async () => expect(await channel()).toMatchObject({ status: 'closing' }), { timeoutMs: 120_000 });
  bodyOf(await by.post('/v1/sandbox/clock', { advance_seconds: GRACE }), 200);
  await calls.isSettled(agent, purse_id, '0.000000');
});

testWithSeller.each<Failpoint>([
  'payment.session_opened',
  'channel.opening_stored',
  'channel.opened',
  'payment.signed',
  'payment.authorized',
  'payment.answered',
])('a process killed at %s leaves a call that is paid once', async (point) => {
  const agent = await calls.account();
  const body = calls.order(agent, withSession);
  await calls.payAndDie(point, body);
  const payment = await eventually(async () => bodyOf(await calls.pay(body), 200), { timeoutMs: 90_000 });
  expect(payment).toMatchObject({ amount_usdc: '0.001000', method: 'channel' });
  await by.post(`/v1/purses/${payment.purse_id}/close`);
  // A channel whose seller never heard of it is closed by force.
  await eventually(
    async () => {
      const { channels } = bodyOf(await by.get(`/v1/purses/${payment.purse_id}`), 200) as { channels: Body[] };
      for (const { status } of channels) expect(['closing', 'closed']).toContain(status);
    },
    { timeoutMs: 120_000 },
  );
  bodyOf(await by.post('/v1/sandbox/clock', { advance_seconds: GRACE }), 200);
  await calls.isSettled(agent, payment.purse_id, '0.001000');
});
