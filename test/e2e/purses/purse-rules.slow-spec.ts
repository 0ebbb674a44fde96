import { api, type Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { PRICE, PurseStage, DECLINED_OPENINGS } from '../../support/purses';
import { anAccount, everyRow, bodyOf, micro, invalidFields, setPolicy } from '../../support/world';

jest.setTimeout(300_000);

let stage: PurseStage;
beforeAll(async () => void (stage = await PurseStage.start()));
afterAll(() => stage.stop());

const sum = (rows: Body[]): bigint => rows.reduce((total, { amount_usdc }) => total + micro(amount_usdc), 0n);
const advance = (seconds: number): Promise<unknown> =>
  stage.by.post('/v1/sandbox/clock', { advance_seconds: seconds }).then((answer) => bodyOf(answer, 200));

describe('a payment is held to its purse', () => {
  test('another host than the purse names is declined, and its own host is paid', async () => {
    const agent = await stage.account();
    const { host } = new URL(stage.stock.url);
    const { purse_id } = await stage.open(agent, '0.1', { host });
    const declined = await stage.pay(agent, { purse_id, url: stage.odd.url });
    expect([declined.status, declined.body.rejection_reason]).toEqual([402, 'purse_host']);
    bodyOf(await stage.pay(agent, { purse_id }), 200);
  });

  test('a provider that is pinned for another category is declined; one that is pinned for the category of the purse is paid under it', async () => {
    const agent = await stage.account({ categories: ['data', 'news'] });
    const { purse_id } = await stage.open(agent, '0.1', { category: 'data' });
    const pin = (categories: string[]) =>
      stage.by.put(`/v1/providers/${new URL(stage.stock.url).host}`, { payee: stage.payee.address, categories });
    bodyOf(await pin(['news']), 200);
    const declined = await stage.pay(agent, { purse_id });
    bodyOf(await pin(['news', 'data']), 200);
    const paid = bodyOf(await stage.pay(agent, { purse_id }), 200);
    await stage.by.delete(`/v1/providers/${new URL(stage.stock.url).host}`);
    expect([declined.status, declined.body.rejection_reason, paid.category]).toEqual([402, 'category_conflict', 'data']);
  });

  test('a price above max_amount is declined', async () => {
    const agent = await stage.account();
    const { purse_id } = await stage.open(agent, '0.1');
    expect((await stage.pay(agent, { purse_id, max_amount: '0.009999' })).body).toMatchObject({ rejection_reason: 'max_amount' });
    bodyOf(await stage.pay(agent, { purse_id, max_amount: '0.01' }), 200);
  });

  test('purse_id goes without session_id, and a purse of another account is 400', async () => {
    const [agent, other] = [await stage.account(), await stage.account()];
    const { purse_id } = await stage.open(agent, '0.1');
    expect(invalidFields(await stage.pay(agent, { purse_id, session_id: 'sess_1' }))).toEqual(['purse_id']);
    expect(invalidFields(await stage.pay(other, { purse_id }))).toEqual(['purse_id']);
  });
});

describe('the opening of a purse', () => {
  test.each(DECLINED_OPENINGS)('%s is declined, and nothing is reserved', async (_what, policy, more, reason) => {
    const agent = await stage.account(policy);
    const request = stage.request(agent, '0.1', more);
    const { body: dry } = await stage.by.post('/v1/purses', request, { 'Dry-Run': 'true' });
    expect(dry).toMatchObject({ dry_run: true, allowed: false, decline: { http_status: 402, rejection_reason: reason } });
    const answer = await stage.by.post('/v1/purses', request);
    expect([answer.status, answer.body.rejection_reason, answer.body.purse_id]).toEqual([402, reason, expect.stringMatching(/^purse_/)]);
    expect(await stage.history(agent, 'rejection')).toMatchObject([{ rejection_reason: reason }]);
    await setPolicy(agent, { max_daily_spend: 10 }, stage.by);
    expect(await stage.spending(agent)).toMatchObject({ reserved_usdc: '0.000000', spent_usdc: '0.000000' });
  });

  test('at max_single_transfer is allowed', async () => {
    await stage.open(await stage.account({ max_single_transfer: 0.1 }), '0.1');
  });

  test('with the same key opens one purse, also at the same time; other parameters are 409', async () => {
    const agent = await stage.account();
    const body = stage.request(agent, '0.1');
    const answers = await Promise.all(Array.from({ length: 4 }, () => stage.by.post('/v1/purses', body)));
    expect(new Set(answers.map((answer) => bodyOf(answer, 201).purse_id)).size).toBe(1);
    expect(await stage.by.post('/v1/purses', { ...body, amount: '0.2' })).toMatchObject({
      status: 409,
      body: { error: 'idempotency_conflict' },
    });
    expect(await stage.spending(agent)).toMatchObject({ balance_usdc: '2.000000' });
    expect((await everyRow(`/v1/purses?account_id=${agent.id}&status=open`, stage.by)).length).toBe(1);
  });

  test('while another purse is open is 409 and names it; so is a charge', async () => {
    const agent = await stage.account();
    const first = await stage.open(agent, '0.1', { host: 'api.example.com' });
    expect(await stage.by.post('/v1/purses', stage.request(agent, '0.1'))).toMatchObject({
      status: 409,
      body: { error: 'conflict', purse_id: first.purse_id },
    });
    expect((await stage.pay(agent)).status).toBe(409);
    bodyOf(await stage.by.post(`/v1/purses/${first.purse_id}/close`), 200);
    expect(bodyOf(await stage.pay(agent), 200)).toMatchObject({ method: 'charge' });
    await stage.open(agent, '0.1');
  });

  test('at the threshold waits for an operator: approval opens it, and a denial rejects it', async () => {
    const agent = await stage.account({ escalation_threshold: 0.1 });
    const request = stage.request(agent, '0.1');
    const dry = bodyOf(await stage.by.post('/v1/purses', request, { 'Dry-Run': 'true' }), 200);
    expect(dry).toEqual({ dry_run: true, allowed: true, requires_approval: true, amount_usdc: '0.100000' });
    const waiting = bodyOf(await stage.by.post('/v1/purses', request), 202);
    expect(waiting).toMatchObject({ status: 'pending_approval', approval: { required_by: 'operator' } });
    expect(await stage.events(agent, 'escalation.required')).toMatchObject([{ purse_id: waiting.purse_id, amount_usdc: '0.100000' }]);
    // One that waits is in no one's way.
    bodyOf(await stage.pay(agent), 200);
    expect(bodyOf(await stage.by.post(`/v1/purses/${waiting.purse_id}/approve`), 201)).toMatchObject({ status: 'open' });
    bodyOf(await stage.pay(agent, { purse_id: waiting.purse_id }), 200);
    bodyOf(await stage.by.post(`/v1/purses/${waiting.purse_id}/close`), 200);

    const denied = bodyOf(await stage.by.post('/v1/purses', stage.request(agent, '0.1')), 202);
    expect(bodyOf(await stage.by.post(`/v1/purses/${denied.purse_id}/deny`, { reason: 'no' }), 200)).toMatchObject({
      status: 'rejected',
      rejection_reason: 'denied',
    });
    expect((await stage.by.post(`/v1/purses/${denied.purse_id}/approve`)).status).toBe(409);
    expect((await everyRow(`/v1/purses?account_id=${agent.id}&status=rejected`, stage.by)).map(({ purse_id }) => purse_id)).toEqual([
      denied.purse_id,
    ]);
    await stage.open(agent, '0.05');
  });

  test.each([
    ['amount', { amount: '0' }],
    ['expires_in_seconds', { expires_in_seconds: 59 }],
    ['expires_in_seconds', { expires_in_seconds: 3601 }],
    ['host', { host: 'https://api.example.com' }],
    ['category', { category: 'Data!' }],
  ])('with an invalid %s is 400 and names it: %j', async (field, more) => {
    expect(invalidFields(await stage.by.post('/v1/purses', stage.request(await stage.account(), '0.1', more)))).toEqual([field]);
  });

  test('a host with the default port of https is the host without it', async () => {
    const account = await anAccount({ by: stage.by, usdc: '1' });
    const request = stage.request(account, '0.1', { host: 'api.example.com:443' });
    const purse = bodyOf(await stage.by.post('/v1/purses', request), 201);
    expect(purse.host).toBe('api.example.com');
    expect(bodyOf(await stage.by.post('/v1/purses', { ...request, host: 'api.example.com' }), 201).purse_id).toBe(purse.purse_id);
  });

  test('an agent key opens, lists and closes the purses of its accounts only, and approves none', async () => {
    const [own, other] = [await stage.account(), await stage.account()];
    const { key } = bodyOf(await stage.by.post('/v1/api_keys', { type: 'agent', account_ids: [own.id] }), 201);
    const agent = api(stage.service.baseUrl, String(key));
    const foreign = await stage.open(other, '0.1');
    const { purse_id } = bodyOf(await agent.post('/v1/purses', stage.request(own, '0.1')), 201);
    expect((await everyRow('/v1/purses', agent)).map((row) => row.purse_id)).toEqual([purse_id]);
    const statuses = await Promise.all([
      agent.post('/v1/purses', stage.request(other, '0.1')),
      agent.get(`/v1/purses/${foreign.purse_id}`),
      agent.get(`/v1/purses/${foreign.purse_id}/payments`),
      agent.post(`/v1/purses/${foreign.purse_id}/close`),
      agent.post(`/v1/purses/${purse_id}/approve`),
      agent.post(`/v1/purses/${purse_id}/deny`),
      stage.pay(own, { purse_id: foreign.purse_id }, agent),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([403, 404, 404, 404, 403, 403, 404]);
    expect(bodyOf(await agent.post(`/v1/purses/${purse_id}/close`), 200)).toMatchObject({
      spent_usdc: '0.000000',
      returned_usdc: '0.100000',
    });
  });
});

describe('the end of a purse', () => {
  test('at its deadline by the chain’s clock it is closed, and what was paid is counted', async () => {
    const agent = await stage.account();
    const purse = await stage.open(agent, '0.1', { expires_in_seconds: 120 });
    bodyOf(await stage.pay(agent, { purse_id: purse.purse_id }), 200);
    await advance(121);
    expect(await stage.closed(purse)).toMatchObject({ spent_usdc: '0.010000', returned_usdc: '0.090000' });
    expect((await stage.pay(agent, { purse_id: purse.purse_id })).status).toBe(409);
  });

  test('a pause ends it, and a paused account pays nothing out of it', async () => {
    const agent = await stage.account();
    const purse = await stage.open(agent, '0.1');
    bodyOf(await stage.pay(agent, { purse_id: purse.purse_id }), 200);
    await setPolicy(agent, { paused: true }, stage.by);
    expect([402, 409]).toContain((await stage.pay(agent, { purse_id: purse.purse_id })).status);
    expect(await stage.closed(purse)).toMatchObject({ spent_usdc: '0.010000', returned_usdc: '0.090000' });
    expect(await stage.held(agent)).toBe(1_990_000n);
  });

  test('a close while a payment is unknown rejects it, and its transfer can land no more', async () => {
    const agent = await stage.account();
    const purse = await stage.open(agent, '0.1');
    const { payment_id } = bodyOf(await stage.pay(agent, { purse_id: purse.purse_id, url: `${stage.odd.url}/breaks` }), 202);
    bodyOf(await stage.pay(agent, { purse_id: purse.purse_id }), 200);
    expect(bodyOf(await stage.by.post(`/v1/purses/${purse.purse_id}/close`), 200)).toMatchObject({ spent_usdc: '0.010000' });
    expect(bodyOf(await stage.by.get(`/v1/payments/${payment_id}`), 200)).toMatchObject({
      status: 'rejected',
      rejection_reason: 'provider_refused',
      purse_id: purse.purse_id,
    });
    expect(sum(await stage.history(agent))).toBe(PRICE);
  });

  test('a refused payment keeps its part until it can no longer land; then the part is free again', async () => {
    const agent = await stage.account();
    const purse = await stage.open(agent, '0.01');
    const url = `${stage.odd.url}/refuses`;
    const { payment_id } = bodyOf(await stage.pay(agent, { purse_id: purse.purse_id, url }), 202);
    expect((await stage.pay(agent, { purse_id: purse.purse_id })).body).toMatchObject({ rejection_reason: 'purse_amount' });
    await stage.expireCredentials();
    await eventually(
      async () =>
        expect(bodyOf(await stage.by.get(`/v1/payments/${payment_id}`), 200)).toMatchObject({ rejection_reason: 'provider_refused' }),
      { timeoutMs: 60_000 },
    );
    await stage.payAfterExpiry(agent, { purse_id: purse.purse_id });
    expect(await stage.closed(purse)).toMatchObject({ spent_usdc: '0.010000', returned_usdc: '0.000000' });
    expect(await stage.history(agent)).toMatchObject([{ amount_usdc: '0.010000' }]);
  });

  test('a payment whose answer was lost and that landed is paid, found by the delegate’s signature', async () => {
    const agent = await stage.account();
    const purse = await stage.open(agent, '0.1');
    const feePayer = (await fetch(`${stage.stock.url}/report`)).headers.get('payment-required') ?? '';
    const { extra } = (JSON.parse(Buffer.from(feePayer, 'base64').toString()) as Body).accepts[0];
    stage.odd.offer = { extra };
    const { payment_id } = bodyOf(await stage.pay(agent, { purse_id: purse.purse_id, url: `${stage.odd.url}/breaks` }), 202);
    stage.odd.offer = {};
    // The stock seller takes the credential that the other one got: its offer has the same terms.
    const credential = stage.odd.payments.at(-1) ?? '';
    expect((await fetch(`${stage.stock.url}/report`, { headers: { 'payment-signature': credential } })).status).toBe(200);
    await eventually(
      async () => expect(bodyOf(await stage.by.get(`/v1/payments/${payment_id}`), 200)).toMatchObject({ status: 'paid_unreceipted' }),
      { timeoutMs: 30_000 },
    );
    expect(bodyOf(await stage.by.post(`/v1/purses/${purse.purse_id}/close`), 200)).toMatchObject({ spent_usdc: '0.010000' });
    expect(await stage.history(agent)).toMatchObject([{ counterparty: stage.payee.address, amount_usdc: '0.010000' }]);
  });
});
