import { randomUUID } from 'node:crypto';
import type { Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { ProviderStage } from '../../support/provider-stage';
import {
  anAccount,
  anAgent,
  bodyOf,
  chainBalance,
  eventsOf,
  everyRow,
  invalidFields,
  operator,
  query,
  isReplay,
} from '../../support/world';

jest.setTimeout(90_000);

let stage: ProviderStage;
beforeAll(async () => void (stage = await ProviderStage.start()));
beforeEach(() => stage.reset());
afterAll(() => stage.stop());

describe('POST /v1/payments through a session', () => {
  test('a payment shows the method and the URL of its request, and stores no query of it in the clear', async () => {
    const payer = await stage.aPayer();
    const { payment_id } = bodyOf(
      await stage.pay(payer, { request: { method: 'GET', url: `${stage.provider.url}/data?key=secret-query#top` } }),
      200,
    );
    const { request } = bodyOf(await operator().get(`/v1/payments/${payment_id}`), 200);
    expect(request).toEqual({ method: 'GET', url: `${stage.provider.url}/data` });
    const [row] = await query('SELECT payments::text AS stored FROM payments WHERE id = $1', [payment_id]);
    expect(row?.stored).not.toContain('secret-query');
  });

  test('a payment through a session returns the provider’s answer with the receipt', async () => {
    const payer = await stage.aPayer();
    const body = bodyOf(
      await stage.pay(payer, {
        request: { method: 'POST', url: `${stage.provider.url}/data`, headers: { 'X-Mine': 'yes' }, body: 'hello' },
      }),
      200,
    );
    expect(body).toMatchObject({
      payment_id: expect.stringMatching(/^pay_/),
      status: 'paid',
      amount_usdc: '0.001000',
      category: null,
      session_id: payer.session,
      receipt: { status: 'success', acceptedCumulative: '1000' },
    });
    expect(JSON.parse(Buffer.from(body.response.body_base64, 'base64').toString())).toEqual({ served: '/data' });
    expect(body.response).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    expect(stage.provider.calls.map(({ method, body: text, headers }) => [method, text, headers['x-mine']])).toEqual([
      ['POST', 'hello', 'yes'],
      ['POST', 'hello', 'yes'],
    ]);
    expect(await stage.sessionOf(payer)).toMatchObject({ running_total_usdc: '0.001000', settled_usdc: '0.000000' });
    expect(bodyOf(await operator().get(`/v1/payments/${body.payment_id}`), 200)).toEqual(body);
    expect((await everyRow(`/v1/sessions/${payer.session}/payments`)).map(({ payment_id }) => payment_id)).toEqual([body.payment_id]);
  });

  test('vouchers for more than half of the cap are settled on chain without waiting for the settlement period', async () => {
    const payer = await stage.aPayer({ cap: '0.0015' });
    bodyOf(await stage.pay(payer), 200);
    await eventually(async () => expect(await stage.sessionOf(payer)).toMatchObject({ status: 'open', settled_usdc: '0.001000' }));
  });

  test('a resource without a price is free', async () => {
    const payer = await stage.aPayer();
    stage.provider.behave({ unpaid: (response) => void response.writeHead(404).end('gone') });
    expect(bodyOf(await stage.pay(payer), 200)).toMatchObject({
      status: 'free',
      amount_usdc: '0.000000',
      response: { status: 404, body_base64: Buffer.from('gone').toString('base64') },
    });
    expect(stage.provider.payments).toEqual([]);
  });

  test('concurrent and repeated requests with one idempotency key pay once', async () => {
    const payer = await stage.aPayer();
    const given = stage.order(payer);
    const answers = await Promise.all(Array.from({ length: 6 }, () => operator().post('/v1/payments', given)));
    expect(new Set(answers.map((answer) => bodyOf(answer, 200).payment_id)).size).toBe(1);
    expect([stage.provider.cumulatives, answers.filter(isReplay).length]).toEqual([[1_000n], 5]);
    expect((await operator().post('/v1/payments', { ...given, max_amount: '0.02' })).body).toMatchObject({
      error: 'idempotency_conflict',
      payment_id: expect.any(String),
    });
  });

  test('a hundred concurrent payments use growing vouchers and are settled by one transaction', async () => {
    const payer = await stage.aPayer();
    const before = await chainBalance(stage.payee.tokenAccount);
    const answers = await Promise.all(Array.from({ length: 100 }, () => stage.pay(payer)));
    expect(answers.map(({ body }) => body.status)).toEqual(Array(100).fill('paid'));
    expect(stage.provider.cumulatives).toEqual(Array.from({ length: 100 }, (_, index) => BigInt(index + 1) * 1_000n));
    const closed = bodyOf(await operator().post(`/v1/sessions/${payer.session}/close`), 200);
    expect(closed).toMatchObject({
      status: 'settled',
      settled_usdc: '0.100000',
      returned_usdc: '0.900000',
      running_total_usdc: '0.100000',
    });
    expect((await chainBalance(stage.payee.tokenAccount)) - before).toBe(100_000n);
    expect((await everyRow(`/v1/accounts/${payer.id}/transactions`)).filter(({ type }) => type === 'session_settlement')).toMatchObject([
      { amount_usdc: '0.100000', session_id: payer.session, tx_signature: closed.tx_signature },
    ]);
  });

  test('a payment opens a session when the request has open_session', async () => {
    const account = await anAccount({ usdc: '5', policy: { escalation_threshold: 3 } });
    const first = bodyOf(await stage.pay(account, { open_session: { cap: '2' } }), 200);
    expect(bodyOf(await operator().get(`/v1/sessions/${first.session_id}`), 200)).toMatchObject({
      status: 'open',
      cap_usdc: '2.000000',
      provider: stage.provider.url,
      payee: stage.payee.owner,
      running_total_usdc: '0.001000',
    });
    expect(await everyRow(`/v1/sessions?account_id=${account.id}`)).toHaveLength(1);
  });

  test('a payment with open_session at the escalation threshold is declined and opens nothing', async () => {
    const account = await anAccount({ usdc: '5', policy: { escalation_threshold: 3 } });
    expect((await stage.pay(account, { open_session: { cap: '3' } })).body).toMatchObject({
      rejection_reason: 'escalation_threshold',
      payment_id: expect.stringMatching(/^pay_/),
    });
    expect(await everyRow(`/v1/sessions?account_id=${account.id}`)).toEqual([]);
  });
});

describe('session cap events', () => {
  test('session.cap_warning is sent once above 80 percent and session.cap_reached once, and again after a top-up', async () => {
    const payer = await stage.aPayer({ cap: '0.01' });
    stage.provider.price = 4_000n;
    const capEvents = async () =>
      (await eventsOf(payer))
        .filter(([type]) => type.startsWith('session.cap'))
        .map(([type, data]) => [type, data.running_total_usdc, data.cap_usdc]);
    for (const price of [4_000n, 4_000n]) {
      stage.provider.price = price;
      bodyOf(await stage.pay(payer), 200);
    }
    expect(await capEvents()).toEqual([]);
    stage.provider.price = 1n;
    bodyOf(await stage.pay(payer), 200);
    const warning = ['session.cap_warning', '0.008001', '0.010000'];
    expect(await capEvents()).toEqual([warning]);
    stage.provider.price = 2_000n;
    expect((await stage.pay(payer)).body).toMatchObject({
      error: 'policy_violation',
      rejection_reason: 'session_cap',
      policy: { remaining_usdc: '0.001999', attempted_usdc: '0.002000' },
    });
    const reached = ['session.cap_reached', '0.008001', '0.010000'];
    expect(await capEvents()).toEqual([warning, reached]);
    stage.provider.price = 1_999n;
    bodyOf(await stage.pay(payer), 200);
    expect(await capEvents()).toEqual([warning, reached]);
    bodyOf(await operator().post(`/v1/sessions/${payer.session}/top_up`, { amount: '0.01', idempotency_key: randomUUID() }), 201);
    stage.provider.price = 10_000n;
    bodyOf(await stage.pay(payer), 200);
    expect(await capEvents()).toEqual([
      warning,
      reached,
      ['session.cap_warning', '0.020000', '0.020000'],
      ['session.cap_reached', '0.020000', '0.020000'],
    ]);
    expect(bodyOf(await operator().post(`/v1/sessions/${payer.session}/close`), 200)).toMatchObject({
      settled_usdc: '0.020000',
      returned_usdc: '0.000000',
    });
  });
});

describe('POST /v1/payments/authorize', () => {
  test('an agent with its own client gets one authorization per idempotency key and submits the receipt', async () => {
    const payer = await stage.aPayer();
    const agent = await anAgent(payer);
    const given = {
      account_id: payer.id,
      idempotency_key: randomUUID(),
      max_amount: '0.01',
      url: `${stage.provider.url}/data`,
      challenges: [stage.provider.session()],
      session_id: payer.session,
    };
    const body = bodyOf(await agent.post('/v1/payments/authorize', given), 200);
    expect(body).toMatchObject({
      payment_id: expect.stringMatching(/^pay_/),
      amount_usdc: '0.001000',
      session_id: payer.session,
      authorization: expect.stringMatching(/^Payment /),
    });
    expect(bodyOf(await agent.post('/v1/payments/authorize', given), 200).authorization).toBe(body.authorization);
    const answer = await fetch(given.url, { headers: { Authorization: body.authorization } });
    expect([answer.status, stage.provider.cumulatives]).toEqual([200, [1_000n]]);
    expect(
      bodyOf(await agent.post(`/v1/payments/${body.payment_id}/receipt`, { receipt: answer.headers.get('Payment-Receipt') }), 200),
    ).toMatchObject({ status: 'paid', receipt: { acceptedCumulative: '1000' }, request: { method: null, url: given.url } });
    const forged = (more: Body) =>
      Buffer.from(
        JSON.stringify({ status: 'success', method: 'solana', timestamp: new Date().toISOString(), reference: 'elsewhere', ...more }),
      ).toString('base64url');
    for (const receipt of ['nonsense', forged({}), forged({ method: 'tempo' }), forged({ challengeId: 'another' })]) {
      expect(invalidFields(await agent.post(`/v1/payments/${body.payment_id}/receipt`, { receipt }))).toEqual(['receipt']);
    }
    bodyOf(await stage.pay(payer), 200);
    expect(stage.provider.cumulatives).toEqual([1_000n, 2_000n]);
    expect(
      (await agent.post('/v1/payments/authorize', { ...given, idempotency_key: randomUUID(), max_amount: '0.0009' })).body.rejection_reason,
    ).toBe('max_amount');
  });
});

test.each<[string, Body]>([
  ['request.url', { request: { method: 'GET', url: 'ftp://x' } }],
  ['request.url', { request: { method: 'GET', url: 'http://me:pw@127.0.0.1/' } }],
  ['request.url', { request: { method: 'GET', url: 'http://192.0.2.2/' } }],
  ['request.method', { request: { method: 'BREW', url: 'http://127.0.0.1/' } }],
  ['request.body', { request: { method: 'GET', url: 'http://127.0.0.1/', body: 'x' } }],
  ['request.body_base64', { request: { method: 'POST', url: 'http://127.0.0.1/', body_base64: '!' } }],
  ['request.headers.Host', { request: { method: 'GET', url: 'http://127.0.0.1/', headers: { Host: 'elsewhere' } } }],
  ['request.headers.X', { request: { method: 'GET', url: 'http://127.0.0.1/', headers: { X: 'a\r\nb' } } }],
  ['request.headers.Authorization', { request: { method: 'GET', url: 'http://127.0.0.1/', headers: { Authorization: 'Payment abc' } } }],
  ['request.more', { request: { method: 'GET', url: 'http://127.0.0.1/', more: 1 } }],
  ['request', { request: 'GET /' }],
  ['request', { request: undefined }],
  ['max_amount', { max_amount: 1 }],
  ['open_session', { open_session: { cap: '1' } }],
  ['open_session.cap', { session_id: undefined, open_session: { cap: '0' } }],
  ['idempotency_key', { idempotency_key: '' }],
  ['surprise', { surprise: 1 }],
])('POST /v1/payments answers 400 for an invalid %s and names it: %j', async (field, more) => {
  expect(invalidFields(await stage.pay(await stage.sharedPayer(), more))).toEqual([field]);
});
