import { randomUUID } from 'node:crypto';
import type { Body } from '../../support/api';
import { ProviderStage } from '../../support/provider-stage';
import { oddChallenges } from '../../support/odd-challenges';
import { anAccount, anAgent, bodyOf, everyRow, invalidFields, operator, setPolicy, stranger } from '../../support/world';

jest.setTimeout(90_000);

let stage: ProviderStage;
beforeAll(async () => void (stage = await ProviderStage.start()));
beforeEach(() => stage.reset());
afterAll(() => stage.stop());

describe('declined payments', () => {
  test('a payment is declined by the caller’s max_amount with 402 and the reason, and no voucher is signed', async () => {
    const payer = await stage.aPayer();
    expect(bodyOf(await stage.pay(payer, { max_amount: '0.000999' }), 402)).toMatchObject({
      error: 'policy_violation',
      status: 'rejected',
      rejection_reason: 'max_amount',
      payment_id: expect.any(String),
    });
    expect([stage.provider.payments, (await stage.sessionOf(payer)).running_total_usdc]).toEqual([[], '0.000000']);
  });

  test.each<[string, Body, string, string]>([
    ['a pause', { paused: true }, 'paused', 'account_paused'],
    ['max_single_transfer', { max_single_transfer: 0.000999 }, 'max_single_transfer', 'policy_violation'],
    ['a category that is not listed', { categories: ['search'] }, 'categories', 'policy_violation'],
    ['counterparties', { allowed_counterparties: [] }, 'allowed_counterparties', 'policy_violation'],
    ['the threshold for a single payment', { escalation_threshold: 0.001 }, 'escalation_threshold', 'policy_violation'],
  ])('a payment is declined by the policy, %s, with 402 and the rule', async (_what, policy, rule, code) => {
    const payer = await stage.aPayer();
    await setPolicy(payer, policy);
    const { status, body } = await stage.pay(payer);
    expect([status, body.error, body.rejection_reason, stage.provider.payments.length]).toEqual([402, code, rule, 0]);
    await setPolicy(payer, {
      max_single_transfer: null,
      categories: null,
      allowed_counterparties: null,
      escalation_threshold: null,
      paused: false,
    });
    bodyOf(await stage.pay(payer), 200);
    expect(
      (await everyRow(`/v1/accounts/${payer.id}/transactions?status=rejected`)).map(({ rejection_reason, amount_usdc }) => [
        rejection_reason,
        amount_usdc,
      ]),
    ).toEqual([[rule, '0.001000']]);
  });

  describe('payments at the approval threshold', () => {
    const topUp = (id: string, amount: string) => operator().post(`/v1/sessions/${id}/top_up`, { amount, idempotency_key: randomUUID() });
    const approve = (id: string) => operator().post(`/v1/sessions/${id}/approve`);

    test('a payment at the threshold inside a session that an operator approved is paid', async () => {
      const account = await anAccount({ usdc: '10', policy: { escalation_threshold: 0.5 } });
      const { session_id: session } = bodyOf(await operator().post('/v1/sessions', stage.opening(account, { cap: '0.5' })), 202);
      bodyOf(await approve(session), 201);
      stage.provider.price = 500_000n;
      expect(bodyOf(await stage.pay({ ...account, session }, { max_amount: '0.5' }), 200)).toMatchObject({
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
      const payer = await stage.aPayer({ cap: '0.4', policy: { escalation_threshold: 0.5 } });
      await setPolicy(payer, { escalation_threshold: 0.3 });
      stage.provider.price = 300_000n;
      const declined = await stage.pay(payer, { max_amount: '0.3' });
      expect([declined.status, declined.body]).toMatchObject([
        402,
        {
          error: 'policy_violation',
          rejection_reason: 'escalation_threshold',
          policy: { limit_usdc: '0.300000', attempted_usdc: '0.300000' },
        },
      ]);
      expect([stage.provider.payments, (await stage.sessionOf(payer)).running_total_usdc]).toEqual([[], '0.000000']);
      stage.provider.price = 299_999n;
      bodyOf(await stage.pay(payer, { max_amount: '0.3' }), 200);

      bodyOf(await topUp(payer.session, '0.2'), 202);
      stage.provider.price = 300_000n;
      expect((await stage.pay(payer, { max_amount: '0.3' })).body.rejection_reason).toBe('escalation_threshold');
      bodyOf(await approve(payer.session), 201);
      expect(bodyOf(await stage.pay(payer, { max_amount: '0.3' }), 200)).toMatchObject({ status: 'paid', amount_usdc: '0.300000' });
      await setPolicy(payer, { max_single_transfer: 0.0005 });
      stage.provider.price = 501n;
      expect((await stage.pay(payer)).body.rejection_reason).toBe('max_single_transfer');
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
    const payer = await stage.sharedPayer();
    stage.provider.behave({ unpaid: stage.provider.asks(() => oddChallenges[odd](stage.provider)) });
    const { status, body } = await stage.pay(payer);
    expect([status, body.rejection_reason, stage.provider.payments.length, stage.provider.calls.length]).toEqual([402, reason, 0, 1]);
  });

  test('a payable challenge is found among others, in one header or in several', async () => {
    const payer = await stage.sharedPayer();
    stage.provider.behave({ unpaid: stage.provider.asks(() => oddChallenges['several in one header'](stage.provider)) });
    bodyOf(await stage.pay(payer), 200);
    stage.provider.behave({
      unpaid: stage.provider.asks(
        () => oddChallenges['unknown method'](stage.provider),
        () => stage.provider.session(),
      ),
    });
    bodyOf(await stage.pay(payer), 200);
  });

  test('the first payable challenge is used; if there is none, the first one’s error is reported', async () => {
    const payer = await stage.sharedPayer();
    const [elsewhere, expired] = [() => oddChallenges['other network'](stage.provider), () => oddChallenges.expired(stage.provider)];
    stage.provider.behave({ unpaid: stage.provider.asks(elsewhere, expired, () => stage.provider.session()) });
    bodyOf(await stage.pay(payer), 200);
    stage.provider.behave({ unpaid: stage.provider.asks(elsewhere, expired) });
    expect((await stage.pay(payer)).body.rejection_reason).toBe('network_mismatch');
  });

  test('a challenge with another payee than the session’s is declined', async () => {
    const payer = await stage.sharedPayer();
    stage.provider.behave({ unpaid: stage.provider.asks(() => stage.provider.session({ payee: payer.address })) });
    expect((await stage.pay(payer)).body.rejection_reason).toBe('recipient_mismatch');
  });

  test('a caller’s Authorization header is kept if the credential uses another header, and never overwritten', async () => {
    const payer = await stage.sharedPayer();
    const request = { method: 'GET', url: `${stage.provider.url}/x`, headers: { authorization: 'Bearer mine' } };
    expect((await stage.pay(payer, { request })).body.rejection_reason).toBe('unsupported_method');
    expect(stage.provider.calls.map(({ authorization }) => authorization)).toEqual(['Bearer mine']);
    stage.provider.behave({
      unpaid: (response, { headers }) =>
        headers['payment-authorization']
          ? void response.writeHead(200).end('served')
          : stage.provider.demand(response, [stage.provider.session({ header: 'Payment-Authorization' })]),
    });
    expect(bodyOf(await stage.pay(payer, { request }), 200).status).toBe('paid_unreceipted');
    expect(stage.provider.calls.map(({ authorization, headers }) => [authorization, typeof headers['payment-authorization']])).toEqual([
      ['Bearer mine', 'undefined'],
      ['Bearer mine', 'string'],
    ]);
  });

  test('a session that is not open, or another account’s, pays nothing', async () => {
    const payer = await stage.aPayer();
    bodyOf(await operator().post(`/v1/sessions/${payer.session}/close`), 200);
    expect((await stage.pay(payer)).body).toMatchObject({ error: 'conflict', status: 'settled' });
    const other = await stage.aPayer();
    expect(invalidFields(await stage.pay({ ...payer, session: other.session }))).toEqual(['session_id']);
    expect(invalidFields(await stage.pay(other, { request: { method: 'GET', url: 'http://127.0.0.1:9/' } }))).toEqual(['session_id']);
    expect((await stage.pay(other, {}, stranger())).status).toBe(404);
    expect((await stage.pay(other, {}, await anAgent(payer))).status).toBe(403);
    expect(stage.provider.calls).toEqual([]);
  });
});
