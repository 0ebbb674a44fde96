/** Metered sellers that never settle, refuse, or open the channel after all: the rest comes home, and history, limit and chain agree. */
import { randomUUID } from 'node:crypto';
import { api, type Answer, type Api, type Body } from '../../support/api';
import { MeteredSeller } from '../../support/channels';
import { eventually } from '../../support/eventually';
import { startService, type Service } from '../../support/service';
import { anAccount, bodyOf, chainBalance, eventsOf, everyRow, micro, rpc, setPolicy, type TestAccount } from '../../support/world';

jest.setTimeout(300_000);

const PRICE = 100_000n;
/** The time that the seller has, a minute, and its grace period. */
const [CLOSE_AFTER, GRACE] = [125, 905];
/** More slots than a blockhash lives. */
const EXPIRY_SLOTS = 200;

let service: Service;
let by: Api;
let payee: TestAccount;
let treasury: string;
let seller: MeteredSeller;
beforeAll(async () => {
  service = await startService({ variables: { LEASE_MS: '1000' } });
  by = api(service.baseUrl, service.operatorKey);
  payee = await anAccount({ by });
  treasury = String(service.sandbox.channels_treasury);
  seller = await MeteredSeller.start(service, { payTo: payee.address, amount: PRICE });
});
afterAll(async () => {
  seller.stop();
  await service.stop();
});
afterEach(async () => expect(await chainBalance(treasury, service.sandbox.rpc_url)).toBe(0n));

const order = ({ id }: TestAccount, url: string): Body => ({
  account_id: id,
  idempotency_key: randomUUID(),
  max_amount: '1',
  request: { method: 'GET', url },
});
const pay = (body: Body): Promise<Answer> => by.post('/v1/payments', body);
const balance = ({ tokenAccount }: TestAccount): Promise<bigint> => chainBalance(tokenAccount, service.sandbox.rpc_url);
const advance = async (seconds: number): Promise<void> =>
  void bodyOf(await by.post('/v1/sandbox/clock', { advance_seconds: seconds }), 200);
const expireBlockhashes = (): Promise<unknown> => rpc('sandbox_advanceSlots', [{ slots: EXPIRY_SLOTS }], service.sandbox.rpc_url);
const account = (): Promise<TestAccount> => anAccount({ by, usdc: '1', policy: { max_daily_spend: 1 } });

/** The account is as before the payment: nothing is spent, reserved or held, and there is no record of money that left. */
async function isUntouched(agent: TestAccount): Promise<void> {
  await eventually(async () => expect(await balance(agent)).toBe(1_000_000n), { timeoutMs: 60_000 });
  await eventually(async () => expect(bodyOf(await by.get(`/v1/accounts/${agent.id}`), 200)).toMatchObject({ held_usdc: '0.000000' }));
  const spending = () => by.get(`/v1/accounts/${agent.id}/spending`);
  await eventually(async () => expect(bodyOf(await spending(), 200)).toMatchObject({ spent_usdc: '0.000000', reserved_usdc: '0.000000' }));
  await eventually(async () => {
    const rows = await everyRow(`/v1/accounts/${agent.id}/transactions`, by);
    expect(rows.filter(({ type }) => type !== 'rejection')).toMatchObject([{ type: 'deposit', amount_usdc: '1.000000' }]);
  });
}

async function channelOf(payment: Body): Promise<Body> {
  const { channels } = bodyOf(await by.get(`/v1/purses/${payment.purse_id}`), 200) as { channels: Body[] };
  return channels[0] ?? {};
}

test('a channel that its seller never settles is closed by force after its time, and the payment is paid with zero', async () => {
  const agent = await account();
  const payment = bodyOf(await pay(order(agent, `${seller.url}/keeps`)), 202);
  expect(payment).toMatchObject({ status: 'unknown', amount_usdc: null, response: { status: 200 } });
  expect(await balance(agent)).toBe(900_000n);
  expect(bodyOf(await by.get(`/v1/accounts/${agent.id}`), 200)).toMatchObject({ balance_usdc: '0.900000', held_usdc: '0.100000' });
  expect((await by.post(`/v1/accounts/${agent.id}/close`, { destination: payee.id })).status).toBe(409);
  await advance(CLOSE_AFTER);
  await eventually(async () => expect(await channelOf(payment)).toMatchObject({ status: 'closing' }), { timeoutMs: 60_000 });
  await advance(GRACE);
  const url = `/v1/payments/${payment.payment_id}`;
  await eventually(
    async () => expect(bodyOf(await by.get(url), 200)).toMatchObject({ status: 'paid_unreceipted', amount_usdc: '0.000000' }),
    {
      timeoutMs: 60_000,
    },
  );
  expect(await channelOf(payment)).toMatchObject({
    status: 'closed',
    settled_usdc: '0.000000',
    deposit_usdc: '0.100000',
    seller: seller.url,
  });
  await isUntouched(agent);
});

test('a seller that refuses and does nothing is not paid, once its opening can no longer land', async () => {
  const agent = await account();
  const body = order(agent, `${seller.url}/refuses`);
  bodyOf(await pay(body), 202);
  await expireBlockhashes();
  await eventually(async () => expect(bodyOf(await pay(body), 402)).toMatchObject({ policy: { rule: 'provider_refused' } }), {
    timeoutMs: 60_000,
  });
  await isUntouched(agent);
});

test.each(['/lands', '/breaks'])(
  'a seller that opens the channel at %s without serving is not paid, and the rest comes home',
  async (path) => {
    const agent = await account();
    const body = order(agent, `${seller.url}${path}`);
    bodyOf(await pay(body), 202);
    await expireBlockhashes();
    await advance(CLOSE_AFTER);
    await eventually(async () => expect(await channelOf(bodyOf(await pay(body), 202))).toMatchObject({ status: 'closing' }), {
      timeoutMs: 60_000,
    });
    await advance(GRACE);
    await eventually(async () => expect(bodyOf(await pay(body), 402)).toMatchObject({ policy: { rule: 'provider_refused' } }), {
      timeoutMs: 60_000,
    });
    await isUntouched(agent);
  },
);

test('a pause closes an open channel at once', async () => {
  const agent = await account();
  const payment = bodyOf(await pay(order(agent, `${seller.url}/keeps`)), 202);
  await setPolicy(agent, { paused: true }, by);
  await eventually(async () => expect(await channelOf(payment)).toMatchObject({ status: 'closing' }), { timeoutMs: 60_000 });
  await advance(GRACE);
  await isUntouched(agent);
});

test('a purse past its deadline is closed with what is missing as spent, and what comes back later restores no limit', async () => {
  const agent = await account();
  const payment = bodyOf(await pay(order(agent, `${seller.url}/keeps`)), 202);
  await advance(GRACE + 3_600);
  const purse = () => by.get(`/v1/purses/${payment.purse_id}`);
  await eventually(async () => expect(bodyOf(await purse(), 200)).toMatchObject({ status: 'closed', spent_usdc: '0.100000' }), {
    timeoutMs: 60_000,
  });
  await advance(GRACE);
  await eventually(async () => expect(await balance(agent)).toBe(1_000_000n), { timeoutMs: 60_000 });
  await eventually(async () => expect(bodyOf(await purse(), 200)).toMatchObject({ spent_usdc: '0.000000', returned_usdc: '0.100000' }));
  expect(bodyOf(await by.get(`/v1/accounts/${agent.id}/spending`), 200)).toMatchObject({
    spent_usdc: '0.100000',
    reserved_usdc: '0.000000',
  });
  await eventually(async () => expect(bodyOf(await by.get(`/v1/accounts/${agent.id}`), 200)).toMatchObject({ held_usdc: '0.000000' }));
});

const open = async (agent: TestAccount, amount: string): Promise<Body> => {
  const more = { kind: 'channel', expires_in_seconds: 3_600, idempotency_key: randomUUID() };
  return bodyOf(await by.post('/v1/purses', { account_id: agent.id, amount, ...more }), 201);
};

test('a purse that is closed closes its channels by force: it is reserved until the last one is gone, and all comes home', async () => {
  const agent = await account();
  const purse = await open(agent, '0.3');
  const payment = bodyOf(await pay(order(agent, `${seller.url}/keeps`)), 202);
  expect(payment.purse_id).toBe(purse.purse_id);
  expect(bodyOf(await by.post(`/v1/purses/${purse.purse_id}/close`), 202).status).toBe('closing');
  await eventually(async () => expect(await channelOf(payment)).toMatchObject({ status: 'closing' }), { timeoutMs: 60_000 });
  await eventually(async () => expect(await balance(agent)).toBe(900_000n), { timeoutMs: 60_000 });
  // The record follows the chain.
  const spending = async (): Promise<Body> => bodyOf(await by.get(`/v1/accounts/${agent.id}/spending`), 200);
  await eventually(async () => expect(await spending()).toMatchObject({ reserved_usdc: '0.300000', held_usdc: '0.100000' }));
  expect((await by.post(`/v1/accounts/${agent.id}/close`, { destination: payee.id })).status).toBe(409);
  await advance(GRACE);
  const shown = () => by.get(`/v1/purses/${purse.purse_id}`);
  await eventually(async () => expect(bodyOf(await shown(), 200)).toMatchObject({ status: 'closed', returned_usdc: '0.300000' }), {
    timeoutMs: 60_000,
  });
  await isUntouched(agent);
});

test('a rotation of the authority sweeps channel purses at once, and then closes each channel', async () => {
  const agent = await account();
  const purse = await open(agent, '0.3');
  const payment = bodyOf(await pay(order(agent, `${seller.url}/keeps`)), 202);
  bodyOf(await by.post(`/v1/accounts/${agent.id}/rotate_authority`), 200);
  expect(bodyOf(await by.get(`/v1/purses/${purse.purse_id}`), 200).status).toBe('closing');
  await eventually(async () => expect(await balance(agent)).toBe(900_000n));
  await eventually(async () => expect(await channelOf(payment)).toMatchObject({ status: 'closing' }), { timeoutMs: 60_000 });
  await advance(GRACE);
  await isUntouched(agent);
});

test('money that comes back after its purse was closed raises returned_usdc, and is a purse.refunded each time', async () => {
  const agent = await account();
  const { purse_id } = await open(agent, '0.3');
  for (const _ of [1, 2]) bodyOf(await pay(order(agent, `${seller.url}/keeps`)), 202);
  await advance(3_600);
  const shown = async (): Promise<Body> => bodyOf(await by.get(`/v1/purses/${purse_id}`), 200);
  await eventually(
    async () => expect(await shown()).toMatchObject({ status: 'closed', spent_usdc: '0.200000', returned_usdc: '0.100000' }),
    {
      timeoutMs: 60_000,
    },
  );
  await eventually(async () => expect(await channelOf({ purse_id })).toMatchObject({ status: 'closing' }), { timeoutMs: 60_000 });
  await advance(GRACE);
  await eventually(async () => expect(await shown()).toMatchObject({ spent_usdc: '0.000000', returned_usdc: '0.300000' }), {
    timeoutMs: 60_000,
  });
  await eventually(async () => expect(bodyOf(await by.get(`/v1/accounts/${agent.id}`), 200)).toMatchObject({ held_usdc: '0.000000' }));
  const refunds = (await eventsOf(agent, service.sandbox.database_url))
    .filter(([type]) => type === 'purse.refunded')
    .map(([, data]) => data);
  expect(refunds.reduce((sum, { amount_usdc }) => sum + micro(amount_usdc), 0n)).toBe(200_000n);
  for (const refund of refunds) expect(refund).toMatchObject({ purse_id, account_id: agent.id, tx_signature: expect.any(String) });
  const spending = bodyOf(await by.get(`/v1/accounts/${agent.id}/spending`), 200);
  expect(spending).toMatchObject({ spent_usdc: '0.200000', reserved_usdc: '0.000000' });
});

test.each<[string, object]>([
  ['a grace period above a day', { withdrawDelay: 86_401 }],
  ['no fee payer', { feePayer: undefined }],
])('a seller with %s is declined as unsupported_method before anything is signed', async (_what, extra) => {
  const agent = await account();
  const odd = await MeteredSeller.start(service, { payTo: payee.address, amount: PRICE, extra });
  expect(bodyOf(await pay(order(agent, `${odd.url}/keeps`)), 402)).toMatchObject({ policy: { rule: 'unsupported_method' } });
  odd.stop();
  await isUntouched(agent);
});
