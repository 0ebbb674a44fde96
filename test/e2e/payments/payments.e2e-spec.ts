import { randomUUID } from 'node:crypto';
import type { Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { anOutsider, type Outsider } from '../../support/outsider';
import { oddChallenges, startRogueProvider, type RogueProvider } from '../../support/rogue-provider';
import {
  anAccount,
  anAgent,
  chainBalance,
  eventsOf,
  everyRow,
  bodyOf,
  invalidFields,
  operator,
  setPolicy,
  stranger,
  type TestAccount,
  query,
} from '../../support/world';

jest.setTimeout(90_000);

let payee: Outsider;
let provider: RogueProvider;
beforeAll(async () => {
  payee = await anOutsider();
  provider = await startRogueProvider(payee.owner);
});
beforeEach(() => {
  provider.price = 1_000n;
  provider.behave();
});
afterAll(() => provider.stop());

interface Payer extends TestAccount {
  session: string;
}

async function aPayer({ cap = '1', policy }: { cap?: string; policy?: Body } = {}): Promise<Payer> {
  const account = await anAccount({ usdc: '10', policy });
  const { session_id: session } = bodyOf(
    await operator().post('/v1/sessions', {
      account_id: account.id,
      provider: provider.url,
      payee: payee.owner,
      cap,
      idempotency_key: randomUUID(),
    }),
    201,
  );
  return { ...account, session };
}

const order = (payer: Payer, more: Body = {}): Body => ({
  account_id: payer.id,
  idempotency_key: randomUUID(),
  max_amount: '0.01',
  session_id: payer.session,
  request: { method: 'GET', url: `${provider.url}/data?q=1` },
  ...more,
});
const pay = (payer: Payer, more: Body = {}, by = operator()) => by.post('/v1/payments', order(payer, more));
const sessionOf = async ({ session }: Payer): Promise<Body> => bodyOf(await operator().get(`/v1/sessions/${session}`), 200);
const settled = (id: string): Promise<Body> =>
  eventually(
    async () => {
      const payment = bodyOf(await operator().get(`/v1/payments/${id}`), 200);
      expect(payment.status).not.toBe('unknown');
      return payment;
    },
    { timeoutMs: 60_000 },
  );

describe('POST /v1/payments through a session', () => {
  test('a payment shows the method and the URL of its request, and stores no query of it in the clear', async () => {
    const payer = await aPayer();
    const { payment_id } = bodyOf(await pay(payer, { request: { method: 'GET', url: `${provider.url}/data?key=secret-query#top` } }), 200);
    const { request } = bodyOf(await operator().get(`/v1/payments/${payment_id}`), 200);
    expect(request).toEqual({ method: 'GET', url: `${provider.url}/data` });
    const [row] = await query('SELECT payments::text AS stored FROM payments WHERE id = $1', [payment_id]);
    expect(row?.stored).not.toContain('secret-query');
  });

  test('a payment through a session returns the provider’s answer with the receipt', async () => {
    const payer = await aPayer();
    const body = bodyOf(
      await pay(payer, { request: { method: 'POST', url: `${provider.url}/data`, headers: { 'X-Mine': 'yes' }, body: 'hello' } }),
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
    expect(provider.calls.map(({ method, body: text, headers }) => [method, text, headers['x-mine']])).toEqual([
      ['POST', 'hello', 'yes'],
      ['POST', 'hello', 'yes'],
    ]);
    expect(await sessionOf(payer)).toMatchObject({ running_total_usdc: '0.001000', settled_usdc: '0.000000' });
    expect(bodyOf(await operator().get(`/v1/payments/${body.payment_id}`), 200)).toEqual(body);
    expect((await everyRow(`/v1/sessions/${payer.session}/payments`)).map(({ payment_id }) => payment_id)).toEqual([body.payment_id]);
  });

  test('vouchers for more than half of the cap are settled on chain without waiting for the settlement period', async () => {
    const payer = await aPayer({ cap: '0.0015' });
    bodyOf(await pay(payer), 200);
    await eventually(async () => expect(await sessionOf(payer)).toMatchObject({ status: 'open', settled_usdc: '0.001000' }));
  });

  test('a resource without a price is free', async () => {
    const payer = await aPayer();
    provider.behave({ unpaid: (response) => void response.writeHead(404).end('gone') });
    expect(bodyOf(await pay(payer), 200)).toMatchObject({
      status: 'free',
      amount_usdc: '0.000000',
      response: { status: 404, body_base64: Buffer.from('gone').toString('base64') },
    });
    expect(provider.payments).toEqual([]);
  });

  test('concurrent and repeated requests with one idempotency key pay once', async () => {
    const payer = await aPayer();
    const given = order(payer);
    const answers = await Promise.all(Array.from({ length: 6 }, () => operator().post('/v1/payments', given)));
    expect(new Set(answers.map((answer) => bodyOf(answer, 200).payment_id)).size).toBe(1);
    expect([provider.cumulatives, answers.filter(({ headers }) => headers.get('Idempotent-Replayed') === 'true').length]).toEqual([
      [1_000n],
      5,
    ]);
    expect((await operator().post('/v1/payments', { ...given, max_amount: '0.02' })).body).toMatchObject({
      error: 'idempotency_conflict',
      payment_id: expect.any(String),
    });
  });

  test('a hundred concurrent payments use growing vouchers and are settled by one transaction', async () => {
    const payer = await aPayer();
    const before = await chainBalance(payee.tokenAccount);
    const answers = await Promise.all(Array.from({ length: 100 }, () => pay(payer)));
    expect(answers.map(({ body }) => body.status)).toEqual(Array(100).fill('paid'));
    expect(provider.cumulatives).toEqual(Array.from({ length: 100 }, (_, index) => BigInt(index + 1) * 1_000n));
    const closed = bodyOf(await operator().post(`/v1/sessions/${payer.session}/close`), 200);
    expect(closed).toMatchObject({
      status: 'settled',
      settled_usdc: '0.100000',
      returned_usdc: '0.900000',
      running_total_usdc: '0.100000',
    });
    expect((await chainBalance(payee.tokenAccount)) - before).toBe(100_000n);
    expect((await everyRow(`/v1/accounts/${payer.id}/transactions`)).filter(({ type }) => type === 'session_settlement')).toMatchObject([
      { amount_usdc: '0.100000', session_id: payer.session, tx_signature: closed.tx_signature },
    ]);
  });

  test('a payment opens a session when the request has open_session', async () => {
    const account = await anAccount({ usdc: '5', policy: { escalation_threshold: 3 } });
    const first = bodyOf(await pay({ ...account, session: '' }, { session_id: undefined, open_session: { cap: '2' } }), 200);
    expect(bodyOf(await operator().get(`/v1/sessions/${first.session_id}`), 200)).toMatchObject({
      status: 'open',
      cap_usdc: '2.000000',
      provider: provider.url,
      payee: payee.owner,
      running_total_usdc: '0.001000',
    });
    expect(await everyRow(`/v1/sessions?account_id=${account.id}`)).toHaveLength(1);
  });

  test('a payment with open_session at the escalation threshold is declined and opens nothing', async () => {
    const account = await anAccount({ usdc: '5', policy: { escalation_threshold: 3 } });
    expect((await pay({ ...account, session: '' }, { session_id: undefined, open_session: { cap: '3' } })).body).toMatchObject({
      rejection_reason: 'escalation_threshold',
      payment_id: expect.stringMatching(/^pay_/),
    });
    expect(await everyRow(`/v1/sessions?account_id=${account.id}`)).toEqual([]);
  });
});

describe('session cap events', () => {
  test('session.cap_warning is sent once above 80 percent and session.cap_reached once, and again after a top-up', async () => {
    const payer = await aPayer({ cap: '0.01' });
    provider.price = 4_000n;
    const capEvents = async () =>
      (await eventsOf(payer))
        .filter(([type]) => type.startsWith('session.cap'))
        .map(([type, data]) => [type, data.running_total_usdc, data.cap_usdc]);
    for (const price of [4_000n, 4_000n]) {
      provider.price = price;
      bodyOf(await pay(payer), 200);
    }
    expect(await capEvents()).toEqual([]);
    provider.price = 1n;
    bodyOf(await pay(payer), 200);
    const warning = ['session.cap_warning', '0.008001', '0.010000'];
    expect(await capEvents()).toEqual([warning]);
    provider.price = 2_000n;
    expect((await pay(payer)).body).toMatchObject({
      error: 'policy_violation',
      rejection_reason: 'session_cap',
      policy: { remaining_usdc: '0.001999', attempted_usdc: '0.002000' },
    });
    const reached = ['session.cap_reached', '0.008001', '0.010000'];
    expect(await capEvents()).toEqual([warning, reached]);
    provider.price = 1_999n;
    bodyOf(await pay(payer), 200);
    expect(await capEvents()).toEqual([warning, reached]);
    bodyOf(await operator().post(`/v1/sessions/${payer.session}/top_up`, { amount: '0.01', idempotency_key: randomUUID() }), 201);
    provider.price = 10_000n;
    bodyOf(await pay(payer), 200);
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

describe('declined payments', () => {
  test.each<[string, Body, string]>([['the caller’s max_amount', { max_amount: '0.000999' }, 'max_amount']])(
    'a payment is declined by %s with 402 and the reason, and no voucher is signed',
    async (_what, more, reason) => {
      const payer = await aPayer();
      expect((await pay(payer, more)).body).toMatchObject({
        error: 'policy_violation',
        status: 'rejected',
        rejection_reason: reason,
        payment_id: expect.any(String),
      });
      expect([provider.payments, (await sessionOf(payer)).running_total_usdc]).toEqual([[], '0.000000']);
    },
  );

  test.each<[string, Body, string, string]>([
    ['a pause', { paused: true }, 'paused', 'account_paused'],
    ['max_single_transfer', { max_single_transfer: 0.000999 }, 'max_single_transfer', 'policy_violation'],
    ['a category that is not listed', { categories: ['search'] }, 'categories', 'policy_violation'],
    ['counterparties', { allowed_counterparties: [] }, 'allowed_counterparties', 'policy_violation'],
    ['the threshold for a single payment', { escalation_threshold: 0.001 }, 'escalation_threshold', 'policy_violation'],
  ])('a payment is declined by the policy, %s, with 402 and the rule', async (_what, policy, rule, code) => {
    const payer = await aPayer();
    await setPolicy(payer, policy);
    const { status, body } = await pay(payer);
    expect([status, body.error, body.rejection_reason, provider.payments.length]).toEqual([402, code, rule, 0]);
    await setPolicy(payer, {
      max_single_transfer: null,
      categories: null,
      allowed_counterparties: null,
      escalation_threshold: null,
      paused: false,
    });
    bodyOf(await pay(payer), 200);
    expect(
      (await everyRow(`/v1/accounts/${payer.id}/transactions?status=rejected`)).map(({ rejection_reason, amount_usdc }) => [
        rejection_reason,
        amount_usdc,
      ]),
    ).toEqual([[rule, '0.001000']]);
  });

  describe('payments at the approval threshold', () => {
    const order = (account: TestAccount, cap: string): Body => ({
      account_id: account.id,
      provider: provider.url,
      payee: payee.owner,
      cap,
      idempotency_key: randomUUID(),
    });
    const topUp = (id: string, amount: string) => operator().post(`/v1/sessions/${id}/top_up`, { amount, idempotency_key: randomUUID() });
    const approve = (id: string) => operator().post(`/v1/sessions/${id}/approve`);

    test('a payment at the threshold inside a session that an operator approved is paid', async () => {
      const account = await anAccount({ usdc: '10', policy: { escalation_threshold: 0.5 } });
      const { session_id: session } = bodyOf(await operator().post('/v1/sessions', order(account, '0.5')), 202);
      bodyOf(await approve(session), 201);
      provider.price = 500_000n;
      expect(bodyOf(await pay({ ...account, session }, { max_amount: '0.5' }), 200)).toMatchObject({
        status: 'paid',
        amount_usdc: '0.500000',
        session_id: session,
      });
      expect(bodyOf(await operator().post(`/v1/sessions/${session}/close`), 200)).toMatchObject({
        settled_usdc: '0.500000',
        returned_usdc: '0.000000',
      });
    });

    test('a payment at the threshold inside an unapproved session is declined, until an operator approves a top-up', async () => {
      const payer = await aPayer({ cap: '0.4', policy: { escalation_threshold: 0.5 } });
      await setPolicy(payer, { escalation_threshold: 0.3 });
      provider.price = 300_000n;
      const declined = await pay(payer, { max_amount: '0.3' });
      expect([declined.status, declined.body]).toMatchObject([
        402,
        {
          error: 'policy_violation',
          rejection_reason: 'escalation_threshold',
          policy: { limit_usdc: '0.300000', attempted_usdc: '0.300000' },
        },
      ]);
      expect([provider.payments, (await sessionOf(payer)).running_total_usdc]).toEqual([[], '0.000000']);
      provider.price = 299_999n;
      bodyOf(await pay(payer, { max_amount: '0.3' }), 200);

      bodyOf(await topUp(payer.session, '0.2'), 202);
      provider.price = 300_000n;
      expect((await pay(payer, { max_amount: '0.3' })).body.rejection_reason).toBe('escalation_threshold');
      bodyOf(await approve(payer.session), 201);
      expect(bodyOf(await pay(payer, { max_amount: '0.3' }), 200)).toMatchObject({ status: 'paid', amount_usdc: '0.300000' });
      await setPolicy(payer, { max_single_transfer: 0.0005 });
      provider.price = 501n;
      expect((await pay(payer)).body.rejection_reason).toBe('max_single_transfer');
    });
  });

  test.each<[keyof typeof oddChallenges, string]>([
    ['no expiry', 'challenge_invalid'],
    ['expired', 'challenge_expired'],
    ['far-future expiry', 'challenge_invalid'],
    ['other mint', 'mint_mismatch'],
    ['other network', 'network_mismatch'],
    ['other program', 'unsupported_method'],
    ['hidden splits', 'recipient_mismatch'],
    ['too large', 'challenge_invalid'],
    ['two categories', 'category_conflict'],
    ['unknown method', 'unsupported_method'],
    ['unknown intent', 'unsupported_method'],
    ['other decimals', 'mint_mismatch'],
    ['other token program', 'mint_mismatch'],
    ['malformed base64', 'challenge_invalid'],
  ])('a challenge with %s is declined as %s', async (odd, reason) => {
    const payer = await sharedPayer();
    provider.behave({ unpaid: provider.asks(() => oddChallenges[odd](provider)) });
    const { status, body } = await pay(payer);
    expect([status, body.rejection_reason, provider.payments.length, provider.calls.length]).toEqual([402, reason, 0, 1]);
  });

  test('a payable challenge is found among others, in one header or in several', async () => {
    const payer = await sharedPayer();
    provider.behave({ unpaid: provider.asks(() => oddChallenges['several in one header'](provider)) });
    bodyOf(await pay(payer), 200);
    provider.behave({
      unpaid: provider.asks(
        () => oddChallenges['unknown method'](provider),
        () => provider.session(),
      ),
    });
    bodyOf(await pay(payer), 200);
  });

  test('the first payable challenge is used; if there is none, the first one’s error is reported', async () => {
    const payer = await sharedPayer();
    const [elsewhere, expired] = [() => oddChallenges['other network'](provider), () => oddChallenges.expired(provider)];
    provider.behave({ unpaid: provider.asks(elsewhere, expired, () => provider.session()) });
    bodyOf(await pay(payer), 200);
    provider.behave({ unpaid: provider.asks(elsewhere, expired) });
    expect((await pay(payer)).body.rejection_reason).toBe('network_mismatch');
  });

  test('a challenge with another payee than the session’s is declined', async () => {
    const payer = await sharedPayer();
    provider.behave({ unpaid: provider.asks(() => provider.session({ payee: payer.address })) });
    expect((await pay(payer)).body.rejection_reason).toBe('recipient_mismatch');
  });

  test('a caller’s Authorization header is kept if the credential uses another header, and never overwritten', async () => {
    const payer = await sharedPayer();
    const request = { method: 'GET', url: `${provider.url}/x`, headers: { authorization: 'Bearer mine' } };
    expect((await pay(payer, { request })).body.rejection_reason).toBe('unsupported_method');
    expect(provider.calls.map(({ authorization }) => authorization)).toEqual(['Bearer mine']);
    provider.behave({
      unpaid: (response, { headers }) =>
        headers['payment-authorization']
          ? void response.writeHead(200).end('served')
          : provider.demand(response, [provider.session({ header: 'Payment-Authorization' })]),
    });
    expect(bodyOf(await pay(payer, { request }), 200).status).toBe('paid_unreceipted');
    expect(provider.calls.map(({ authorization, headers }) => [authorization, typeof headers['payment-authorization']])).toEqual([
      ['Bearer mine', 'undefined'],
      ['Bearer mine', 'string'],
    ]);
  });

  test('a session that is not open, or another account’s, pays nothing', async () => {
    const payer = await aPayer();
    bodyOf(await operator().post(`/v1/sessions/${payer.session}/close`), 200);
    expect((await pay(payer)).body).toMatchObject({ error: 'conflict', status: 'settled' });
    const other = await aPayer();
    expect(invalidFields(await pay({ ...payer, session: other.session }))).toEqual(['session_id']);
    expect(invalidFields(await pay(other, { request: { method: 'GET', url: 'http://127.0.0.1:9/' } }))).toEqual(['session_id']);
    expect((await pay(other, {}, stranger())).status).toBe(404);
    expect((await pay(other, {}, await anAgent(payer))).status).toBe(403);
    expect(provider.calls).toEqual([]);
  });
});

describe('payments at a misbehaving provider', () => {
  test('a provider that always asks for more gets one credential, and the next payment does not include the rejected one', async () => {
    const payer = await aPayer();
    provider.behave(provider.alwaysAnswers402());
    expect((await pay(payer)).body).toMatchObject({ rejection_reason: 'provider_refused' });
    expect(provider.differentCredentials).toBe(1);
    provider.behave();
    bodyOf(await pay(payer), 200);
    expect(provider.cumulatives).toEqual([1_000n]);
    expect(bodyOf(await operator().post(`/v1/sessions/${payer.session}/close`), 200).settled_usdc).toBe('0.001000');
  });

  test.each<[string, () => Parameters<RogueProvider['behave']>[0]]>([
    ['cuts the connection after it has the credential', () => provider.dropsFirstAnswer()],
    [
      'answers 500 after it was paid',
      () => ({ paid: (response, paid) => (paid.isReplay ? provider.serve(response, paid) : void response.writeHead(500).end()) }),
    ],
  ])('a payment at a provider that %s is unknown, resent once with the same credential, and paid once', async (_what, behaviour) => {
    const payer = await aPayer();
    provider.behave(behaviour());
    const { status, body } = await pay(payer);
    expect([status, body.status]).toEqual([202, 'unknown']);
    expect(await settled(body.payment_id)).toMatchObject({ status: 'paid', response: { status: 200 } });
    expect([provider.payments.length, provider.differentCredentials]).toEqual([2, 1]);
    provider.behave();
    bodyOf(await pay(payer), 200);
    expect(provider.cumulatives).toEqual([2_000n]);
  });

  test('a payment whose outcome stays unknown after the second attempt counts as accepted, and is settled', async () => {
    const payer = await aPayer();
    provider.behave(provider.cutsAfterReading());
    const { body } = await pay(payer);
    expect(await settled(body.payment_id)).toMatchObject({ status: 'paid_unreceipted' });
    expect([provider.payments.length, provider.differentCredentials]).toEqual([2, 1]);
    expect(bodyOf(await operator().post(`/v1/sessions/${payer.session}/close`), 200).settled_usdc).toBe('0.001000');
  });

  test.each<[string, () => Parameters<RogueProvider['behave']>[0], Body]>([
    ['answers without a receipt', () => provider.servesWithoutReceipt(), { status: 'paid_unreceipted', receipt: null }],
    ['answers with a malformed receipt', () => provider.servesWithMalformedReceipt(), { status: 'paid_unreceipted', receipt: null }],
    ['answers with an endless body', () => provider.servesEndlessBody(), { status: 'paid', response: { truncated: true } }],
  ])('a payment at a provider that %s is paid', async (_what, behaviour, wanted) => {
    const payer = await sharedPayer();
    provider.behave(behaviour());
    expect(bodyOf(await pay(payer), 200)).toMatchObject(wanted);
  });

  test('redirects of a provider are not followed, paid or unpaid', async () => {
    const payer = await sharedPayer();
    provider.behave(provider.redirectsUnpaid(`${provider.url}/elsewhere`));
    expect(bodyOf(await pay(payer), 200)).toMatchObject({ status: 'free', response: { status: 307 } });
    expect(provider.calls.map(({ path }) => path)).toEqual(['/data?q=1']);
  });

  test('an unreachable provider is 502, and the same idempotency key tries again', async () => {
    const payer = await aPayer();
    const { session_id: session } = bodyOf(
      await operator().post('/v1/sessions', {
        account_id: payer.id,
        provider: 'http://127.0.0.1:9',
        payee: payee.owner,
        cap: '1',
        idempotency_key: randomUUID(),
      }),
      201,
    );
    const given = order({ ...payer, session }, { request: { method: 'GET', url: 'http://127.0.0.1:9/' } });
    expect((await operator().post('/v1/payments', given)).body).toMatchObject({
      error: 'provider_unreachable',
      payment_id: expect.any(String),
    });
    expect((await operator().post('/v1/payments', given)).status).toBe(502);
  });
});

describe('POST /v1/payments/authorize', () => {
  test('an agent with its own client gets one authorization per idempotency key and submits the receipt', async () => {
    const payer = await aPayer();
    const agent = await anAgent(payer);
    const given = {
      account_id: payer.id,
      idempotency_key: randomUUID(),
      max_amount: '0.01',
      url: `${provider.url}/data`,
      challenges: [provider.session()],
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
    expect([answer.status, provider.cumulatives]).toEqual([200, [1_000n]]);
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
    bodyOf(await pay(payer), 200);
    expect(provider.cumulatives).toEqual([1_000n, 2_000n]);
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
  expect(invalidFields(await pay(await sharedPayer(), more))).toEqual([field]);
});

describe('pinned providers', () => {
  const host = (): string => new URL(provider.url).host;
  const pin = (body: Body, by = operator()) => by.put(`/v1/providers/${host()}`, body);

  test('a provider is pinned, listed and deleted by operators only', async () => {
    expect(bodyOf(await pin({ payee: payee.owner, categories: ['data'] }), 200)).toMatchObject({
      host: host(),
      payee: payee.owner,
      categories: ['data'],
    });
    expect(bodyOf(await operator().get(`/v1/providers/${host()}`), 200)).toMatchObject({ payee: payee.owner });
    expect((await stranger().get(`/v1/providers/${host()}`)).status).toBe(404);
    const payer = await sharedPayer();
    expect((await pin({ payee: payee.owner, categories: [] }, await anAgent(payer))).status).toBe(403);
    expect((await pay(payer)).body.rejection_reason).toBe('category_conflict');
    provider.behave({ unpaid: provider.asks(() => provider.session({ methodDetails: { category: 'Data' } })) });
    expect(bodyOf(await pay(payer), 200).category).toBe('data');
    expect((await operator().delete(`/v1/providers/${host()}`)).status).toBe(204);
    expect((await operator().delete(`/v1/providers/${host()}`)).status).toBe(404);
    expect(invalidFields(await operator().put('/v1/providers/a%2Fb', { payee: payee.owner, categories: [] }))).toEqual(['host']);
    expect(invalidFields(await pin({ payee: 'x', categories: ['A B'] }))).toEqual(['payee', 'categories[0]']);
  });
});

let shared: Promise<Payer> | undefined;
function sharedPayer(): Promise<Payer> {
  return (shared ??= aPayer());
}
