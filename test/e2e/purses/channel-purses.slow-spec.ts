/** Channel purses: many payments to stock metered sellers of x402 out of one amount, without a transaction of ours for each. */
import { randomUUID } from 'node:crypto';
import { api, type Answer, type Api, type Body } from '../../support/api';
import { MeteredSeller } from '../../support/channels';
import { eventually } from '../../support/eventually';
import { DECLINED_OPENINGS } from '../../support/purses';
import { startService, type Service } from '../../support/service';
import {
  anAccount,
  bodyOf,
  chainBalance,
  eventsOf,
  everyRow,
  invalidFields,
  micro,
  setPolicy,
  type TestAccount,
} from '../../support/world';
import { startX402Seller, type X402Seller, sellerTerms } from '../../support/x402-sellers/start';

jest.setTimeout(300_000);

const PRICE = 100_000n;

let service: Service;
let by: Api;
let payee: TestAccount;
let seller: X402Seller;
beforeAll(async () => {
  service = await startService({ variables: { LEASE_MS: '1000' } });
  by = api(service.baseUrl, service.operatorKey);
  payee = await anAccount({ by });
  seller = await startX402Seller('upto', { ...(await sellerTerms(service, payee)), price: PRICE });
});
afterAll(async () => {
  await seller.stop();
  await service.stop();
});
afterEach(async () => expect(await chainBalance(String(service.sandbox.channels_treasury), service.sandbox.rpc_url)).toBe(0n));

const account = (policy?: Body): Promise<TestAccount> => anAccount({ usdc: '2', ...(policy && { policy }), by });
const request = ({ id }: TestAccount, amount: string, more: Body = {}): Body => ({
  account_id: id,
  kind: 'channel',
  amount,
  idempotency_key: randomUUID(),
  ...more,
});
const open = async (agent: TestAccount, amount: string, more: Body = {}): Promise<Body> =>
  bodyOf(await by.post('/v1/purses', request(agent, amount, more)), 201);
const order = ({ id }: TestAccount, cost: number, { url = seller.url, ...more }: Body = {}): Body => ({
  account_id: id,
  idempotency_key: randomUUID(),
  max_amount: '1',
  request: { method: 'GET', url: `${url}/infer?cost=${cost}` },
  ...more,
});
const pay = (agent: TestAccount, cost: number, more: Body = {}): Promise<Answer> => by.post('/v1/payments', order(agent, cost, more));
const dryRun = async (agent: TestAccount, more: Body = {}): Promise<Body> =>
  bodyOf(await by.post('/v1/payments', order(agent, 1, more), { 'Dry-Run': 'true' }), 200);
const show = async ({ purse_id }: Body): Promise<Body> => bodyOf(await by.get(`/v1/purses/${purse_id}`), 200);
const closed = (purse: Body): Promise<Body> =>
  eventually(
    async () => {
      const shown = await show(purse);
      expect(shown.status).toBe('closed');
      return shown;
    },
    { timeoutMs: 60_000 },
  );
const balance = ({ tokenAccount }: TestAccount): Promise<bigint> => chainBalance(tokenAccount, service.sandbox.rpc_url);
const spending = async ({ id }: TestAccount): Promise<Body> => bodyOf(await by.get(`/v1/accounts/${id}/spending`), 200);
const transfers = async ({ id }: TestAccount): Promise<Body[]> =>
  (await everyRow(`/v1/accounts/${id}/transactions`, by)).filter(({ type }) => type === 'transfer');
const eventsNamed = async (agent: TestAccount, type: string): Promise<Body[]> =>
  (await eventsOf(agent, service.sandbox.database_url)).filter(([each]) => each === type).map(([, data]) => data);

describe('a channel purse at a stock upto seller', () => {
  test('pays eight calls at once exactly what they used, and its close, the ledger, the events and the chain agree', async () => {
    const agent = await account({ max_daily_spend: 1 });
    const before = await balance(payee);
    const purse = await open(agent, '0.9');
    expect(purse).toMatchObject({ kind: 'channel', status: 'open', payment_id: null, amount_usdc: '0.900000', spent_usdc: '0.000000' });
    expect(Date.parse(purse.expires_at) - Date.parse(purse.opened_at)).toBe(86_400_000);
    expect(await spending(agent)).toMatchObject({ reserved_usdc: '0.900000', held_usdc: '0.900000' });

    const costs = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => n * 10_000);
    const payments = await Promise.all(costs.map(async (cost) => bodyOf(await pay(agent, cost), 200)));
    for (const payment of payments) expect(payment).toMatchObject({ status: 'paid', method: 'channel', purse_id: purse.purse_id });
    expect((await balance(payee)) - before).toBe(360_000n);
    const { channels } = await show(purse);
    expect(channels).toHaveLength(8);
    expect(channels[0]).toMatchObject({ seller: seller.url, payee: payee.address, deposit_usdc: '0.100000', status: 'closed' });

    const url = `/v1/purses/${purse.purse_id}/channels`;
    expect(await everyRow(url, by)).toEqual(channels);
    const page = bodyOf(await by.get(`${url}?limit=3`), 200);
    expect([page.data, page.has_more]).toEqual([channels.slice(0, 3), true]);
    expect(bodyOf(await by.get(`${url}?limit=5&cursor=${page.cursor}`), 200)).toEqual({
      data: channels.slice(3),
      cursor: null,
      has_more: false,
    });
    expect((await by.get(`${url}?cursor=none`)).status).toBe(400);
    expect(await everyRow(`/v1/purses/${purse.purse_id}/payments`, by)).toHaveLength(8);

    // A ninth and a tenth fit into what came back from the others.
    for (const cost of [100_000, 100_000]) bodyOf(await pay(agent, cost, { purse_id: purse.purse_id }), 200);
    expect(await show(purse)).toMatchObject({ status: 'open', spent_usdc: '0.560000' });
    const answer = await by.post(`/v1/purses/${purse.purse_id}/close`);
    expect(bodyOf(answer, 202)).toMatchObject({ status: 'closing' });
    expect((await pay(agent, 1, { purse_id: purse.purse_id })).status).toBe(409);
    const end = await closed(purse);
    expect(end).toMatchObject({ spent_usdc: '0.560000', returned_usdc: '0.340000' });
    expect(bodyOf(await by.post(`/v1/purses/${purse.purse_id}/close`), 200).status).toBe('closed');
    const facts = { purse_id: purse.purse_id, account_id: agent.id, amount_usdc: '0.900000' };
    expect(await eventsNamed(agent, 'purse.opened')).toMatchObject([{ ...facts, tx_signature: purse.tx_signature }]);
    expect(await eventsNamed(agent, 'purse.closed')).toEqual([
      { ...facts, spent_usdc: '0.560000', returned_usdc: '0.340000', tx_signature: end.tx_signature },
    ]);
    const rows = await transfers(agent);
    expect([rows.length, rows.reduce((sum, { amount_usdc }) => sum + micro(amount_usdc), 0n)]).toEqual([10, 560_000n]);
    expect(await spending(agent)).toMatchObject({ spent_usdc: '0.560000', reserved_usdc: '0.000000', held_usdc: '0.000000' });
    expect(await balance(agent)).toBe(1_440_000n);
  });

  test('pays no more at once than its amount covers, and what a call did not use is free again', async () => {
    const agent = await account();
    const purse = await open(agent, '0.25');
    const named = { purse_id: purse.purse_id };
    const answers = await Promise.all([1, 2, 3, 4].map(() => pay(agent, 10_000, named)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 402, 402]);
    expect(answers.find(({ status }) => status === 402)?.body).toMatchObject({
      rejection_reason: 'purse_amount',
      policy: { limit_usdc: '0.250000', attempted_usdc: '0.100000', remaining_usdc: '0.050000' },
    });
    bodyOf(await pay(agent, 10_000, named), 200);
    expect(await show(purse)).toMatchObject({ spent_usdc: '0.030000' });
  });

  test('is passed over if it has no room, and the payment makes a purse for itself', async () => {
    const agent = await account();
    const { purse_id } = await open(agent, '0.099999');
    expect(await dryRun(agent)).toMatchObject({
      allowed: true,
      quotes: [
        { method: 'channel', chosen: false, decline: { rejection_reason: 'purse_amount' } },
        { method: 'channel', chosen: true },
      ],
    });
    expect(bodyOf(await pay(agent, 10_000), 200).purse_id).not.toBe(purse_id);
  });

  test('is the payee’s transfer, in, with the payment and the payer; statements of both count what is held, to the micro-USDC', async () => {
    const agent = await account();
    await open(agent, '0.25');
    const { payment_id } = bodyOf(await pay(agent, 70_000), 200);
    const incoming = async () =>
      (await everyRow(`/v1/accounts/${payee.id}/transactions`, by)).filter((row) => row.payment_id === payment_id);
    await eventually(async () =>
      expect(await incoming()).toMatchObject([{ type: 'transfer', direction: 'in', amount_usdc: '0.070000', counterparty: agent.id }]),
    );
    const month = new Date().toISOString().slice(0, 7);
    const statement = bodyOf(await by.get(`/v1/accounts/${agent.id}/statement?month=${month}`), 200);
    expect(statement).toMatchObject({ in_usdc: '2.000000', out_usdc: '0.070000', closing_balance_usdc: '1.930000' });
    expect(bodyOf(await by.get(`/v1/accounts/${agent.id}/balance`), 200)).toMatchObject({
      balance_usdc: '1.750000',
      held_usdc: '0.180000',
    });
    const { closing_balance_usdc } = bodyOf(await by.get(`/v1/accounts/${payee.id}/statement?month=${month}`), 200);
    expect(micro(closing_balance_usdc)).toBe(await balance(payee));
  });

  test('ends when it is used up', async () => {
    const agent = await account();
    const purse = await open(agent, '0.1');
    bodyOf(await pay(agent, 100_000), 200);
    expect(await closed(purse)).toMatchObject({ spent_usdc: '0.100000', returned_usdc: '0.000000' });
  });

  test('is chosen by its host before one of any host, and then the one that ends first', async () => {
    const agent = await account();
    const { host } = new URL(seller.url);
    await open(agent, '0.1', { host: 'api.example.com', expires_in_seconds: 3_600 });
    const any = await open(agent, '0.1', { expires_in_seconds: 3_600 });
    const late = await open(agent, '0.1', { host, expires_in_seconds: 9_000 });
    const early = await open(agent, '0.1', { host, expires_in_seconds: 8_000 });
    const used: unknown[] = [];
    for (const _ of [1, 2, 3]) used.push(bodyOf(await pay(agent, 99_999), 200).purse_id);
    expect(used).toEqual([early, late, any].map(({ purse_id }) => purse_id));
  });

  test('a purse of another host or category is declined, and one of a category that the provider is known for pays under it', async () => {
    const agent = await account({ categories: ['data', 'news'] });
    const elsewhere = await open(agent, '0.1', { host: 'api.example.com', category: 'data' });
    expect((await pay(agent, 1, { purse_id: elsewhere.purse_id })).body).toMatchObject({ rejection_reason: 'purse_host' });
    const { purse_id } = await open(agent, '0.2', { category: 'data' });
    const pin = (categories: string[]) => by.put(`/v1/providers/${new URL(seller.url).host}`, { categories });
    bodyOf(await pin(['news']), 200);
    const declined = await pay(agent, 1, { purse_id });
    bodyOf(await pin(['news', 'data']), 200);
    const paid = await pay(agent, 1, { purse_id });
    await by.delete(`/v1/providers/${new URL(seller.url).host}`);
    expect([declined.body.rejection_reason, bodyOf(paid, 200).category]).toEqual(['category_conflict', 'data']);
  });

  test('lives beside an allowance purse and others of its kind, each of which is listed', async () => {
    const agent = await account();
    const ids = [await open(agent, '0.1', { kind: 'allowance' }), await open(agent, '0.1'), await open(agent, '0.1')].map(
      ({ purse_id }) => purse_id,
    );
    const rows = await everyRow(`/v1/purses?account_id=${agent.id}&status=open`, by);
    expect(rows.map(({ purse_id, kind }) => [purse_id, kind])).toEqual([
      [ids[2], 'channel'],
      [ids[1], 'channel'],
      [ids[0], 'allowance'],
    ]);
    expect((await by.post(`/v1/accounts/${agent.id}/close`, { destination: payee.id })).status).toBe(409);
    expect(await everyRow(`/v1/purses/${ids[0]}/channels`, by)).toEqual([]);
  });
});

test.each([
  [3_200, 200],
  [3_301, 402],
])('a named purse that lives for an hour at a seller with a grace period of %i seconds is answered %i', async (withdrawDelay, status) => {
  const slow = await MeteredSeller.start(service, { payTo: payee.address, amount: 10_000n, extra: { withdrawDelay } });
  const agent = await account();
  const { purse_id } = await open(agent, '0.1', { expires_in_seconds: 3_600 });
  const dry = await dryRun(agent, { purse_id, url: slow.url });
  expect(dry).toMatchObject({ allowed: status === 200, quotes: [{ method: 'channel', metered: true, chosen: status === 200 }] });
  if (status === 402) {
    const declined = await pay(agent, 1, { purse_id, url: slow.url });
    expect([declined.status, declined.body.rejection_reason]).toEqual([402, 'purse_expires']);
    expect(dry).toMatchObject({ decline: { rejection_reason: 'purse_expires' } });
  }
  slow.stop();
});

describe('the opening of a channel purse', () => {
  test.each(DECLINED_OPENINGS)('%s is declined, and nothing is reserved', async (_what, policy, more, reason) => {
    const agent = await account(policy);
    const body = request(agent, '0.1', more);
    const { body: dry } = await by.post('/v1/purses', body, { 'Dry-Run': 'true' });
    expect(dry).toMatchObject({ dry_run: true, allowed: false, decline: { http_status: 402, rejection_reason: reason } });
    const answer = await by.post('/v1/purses', body);
    expect([answer.status, answer.body.rejection_reason, answer.body.purse_id]).toEqual([402, reason, expect.stringMatching(/^purse_/)]);
    const rows = await everyRow(`/v1/accounts/${agent.id}/transactions?status=all`, by);
    expect(rows.filter(({ type }) => type === 'rejection')).toMatchObject([{ rejection_reason: reason }]);
    expect(await everyRow(`/v1/purses?account_id=${agent.id}&status=rejected`, by)).toMatchObject([{ kind: 'channel' }]);
    await setPolicy(agent, { max_daily_spend: 10 }, by);
    expect(await spending(agent)).toMatchObject({ reserved_usdc: '0.000000', spent_usdc: '0.000000', held_usdc: '0.000000' });
  });

  test.each([
    ['kind', { kind: 'other' }],
    ['expires_in_seconds', { expires_in_seconds: 3_599 }],
    ['expires_in_seconds', { expires_in_seconds: 691_201 }],
    ['expires_in_seconds', { kind: 'allowance', expires_in_seconds: 3_601 }],
  ])('with an invalid %s is 400 and names it: %j', async (field, more) => {
    expect(invalidFields(await by.post('/v1/purses', request(await account(), '0.1', more)))).toEqual([field]);
  });

  test.each([3_600, 691_200])('for %i seconds lives so long', async (seconds) => {
    const { opened_at, expires_at } = await open(await account(), '0.1', { expires_in_seconds: seconds });
    expect(Date.parse(expires_at) - Date.parse(opened_at)).toBe(seconds * 1000);
  });

  test('with the same key opens one purse, also at the same time; with other parameters or of the other kind it is 409', async () => {
    const agent = await account();
    const body = request(agent, '0.1');
    const answers = await Promise.all([1, 2, 3, 4].map(() => by.post('/v1/purses', body)));
    expect(new Set(answers.map((answer) => bodyOf(answer, 201).purse_id)).size).toBe(1);
    for (const more of [{ amount: '0.2' }, { kind: 'allowance' }])
      expect(await by.post('/v1/purses', { ...body, ...more })).toMatchObject({ status: 409, body: { error: 'idempotency_conflict' } });
    expect(await balance(agent)).toBe(1_900_000n);
  });

  test('of both kinds with one key at the same time opens one purse', async () => {
    const agent = await account();
    const body = request(agent, '0.1');
    const answers = await Promise.all(
      [{}, { kind: 'allowance' }, {}, { kind: 'allowance' }].map((more) => by.post('/v1/purses', { ...body, ...more })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
    expect(await everyRow(`/v1/purses?account_id=${agent.id}`, by)).toHaveLength(1);
  });

  test('at the threshold waits for an operator: approval opens it, and a denial rejects it', async () => {
    const agent = await account({ escalation_threshold: 0.1 });
    const body = request(agent, '0.1');
    expect(bodyOf(await by.post('/v1/purses', body, { 'Dry-Run': 'true' }), 200)).toMatchObject({ requires_approval: true });
    const waiting = bodyOf(await by.post('/v1/purses', body), 202);
    expect(waiting).toMatchObject({ status: 'pending_approval', approval: { required_by: 'operator' } });
    expect(await eventsNamed(agent, 'escalation.required')).toMatchObject([{ purse_id: waiting.purse_id, amount_usdc: '0.100000' }]);
    expect(bodyOf(await by.post(`/v1/purses/${waiting.purse_id}/approve`), 201)).toMatchObject({ status: 'open', kind: 'channel' });
    expect(bodyOf(await pay(agent, 1), 200)).toMatchObject({ purse_id: waiting.purse_id });
    const denied = bodyOf(await by.post('/v1/purses', request(agent, '0.1')), 202);
    expect(bodyOf(await by.post(`/v1/purses/${denied.purse_id}/deny`), 200)).toMatchObject({
      status: 'rejected',
      rejection_reason: 'denied',
    });
    expect((await by.post(`/v1/purses/${denied.purse_id}/close`)).status).toBe(409);
  });
});

test('an agent key opens, reads and closes the channel purses of its accounts only', async () => {
  const [own, other] = [await account(), await account()];
  const { key } = bodyOf(await by.post('/v1/api_keys', { type: 'agent', account_ids: [own.id] }), 201);
  const agent = api(service.baseUrl, String(key));
  const { purse_id: foreign } = await open(other, '0.1');
  const { purse_id } = bodyOf(await agent.post('/v1/purses', request(own, '0.1')), 201);
  const answers = await Promise.all([
    agent.post('/v1/purses', request(other, '0.1')),
    agent.get(`/v1/purses/${foreign}/channels`),
    agent.post(`/v1/purses/${foreign}/close`),
    agent.get(`/v1/purses/${purse_id}/channels`),
    agent.post(`/v1/purses/${purse_id}/close`),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([403, 404, 404, 200, 202]);
});
