import {
  TIME,
  anAccount,
  anAgent,
  balanceOf,
  eventsOf,
  everyRow,
  fund,
  bodyOf,
  landedSignatures,
  invalidFields,
  operator,
  order,
  sendText,
  setPolicy,
  stranger,
  countByStatus,
  type TestAccount,
} from '../../support/world';
import type { Body } from '../../support/api';

const UNKNOWN = 'tr_00000000000000000000000000';
const send = (body: unknown) => operator().post('/v1/transfers', body);
const approve = (id: string) => operator().post(`/v1/transfers/${id}/approve`);
const deny = (id: string, body: unknown = {}) => operator().post(`/v1/transfers/${id}/deny`, body);
const show = async (id: string) => bodyOf(await operator().get(`/v1/transfers/${id}`), 200);

/** Two accounts, the first with 100 USDC and a threshold of 10. */
async function parties(policy: object = {}): Promise<[TestAccount, TestAccount]> {
  return [await anAccount({ usdc: '100', policy: { escalation_threshold: 10, ...policy } }), await anAccount()];
}

async function aWaiting(a: TestAccount, b: TestAccount, amount = '10', more: object = {}): Promise<Body> {
  return bodyOf(await send(order(a, b, amount, more)), 202);
}

describe('POST /v1/transfers/:id/approve and /deny', () => {
  test('approve and deny answer 403 to an agent', async () => {
    const [a, b] = await parties();
    const { transfer_id } = await aWaiting(a, b);
    const agent = await anAgent(a);
    for (const verb of ['approve', 'deny']) expect((await agent.post(`/v1/transfers/${transfer_id}/${verb}`)).status).toBe(403);
    expect((await show(transfer_id)).status).toBe('pending_approval');
  });

  test('approve and deny answer 404 for an unknown transfer and another operator’s', async () => {
    const [a, b] = await parties();
    const { transfer_id } = await aWaiting(a, b);
    for (const verb of ['approve', 'deny']) {
      for (const id of [UNKNOWN, 'nonsense', a.id]) expect((await operator().post(`/v1/transfers/${id}/${verb}`)).status).toBe(404);
      expect((await stranger().post(`/v1/transfers/${transfer_id}/${verb}`)).status).toBe(404);
    }
    expect((await show(transfer_id)).status).toBe('pending_approval');
  });

  test('approve and deny answer 409 with the status for a transfer that is not pending', async () => {
    const [a, b] = await parties({ max_single_transfer: 50 });
    const settled = bodyOf(await send(order(a, b, '1')), 200);
    const rejected = bodyOf(await send(order(a, b, '51')), 402);
    for (const [{ transfer_id }, status] of [
      [settled, 'settled'],
      [rejected, 'rejected'],
    ] as const) {
      for (const answer of [await approve(transfer_id), await deny(transfer_id)])
        expect([answer.status, answer.body.error, answer.body.status]).toEqual([409, 'conflict', status]);
    }
    expect(await balanceOf(b)).toBe('1.000000');
  });

  test.each([
    ['a reason of 201 characters', { reason: '🦀'.repeat(201) }, 'reason'],
    ['a number for a reason', { reason: 1 }, 'reason'],
    ['NUL in the reason', { reason: '\0' }, 'reason'],
    ['an unknown field', { because: 'no' }, 'because'],
  ])('deny rejects %s', async (_what, body, field) => {
    const [a, b] = await parties();
    const { transfer_id } = await aWaiting(a, b);
    expect(invalidFields(await deny(transfer_id, body))).toEqual([field]);
    expect((await show(transfer_id)).status).toBe('pending_approval');
  });

  test('approve rejects fields and malformed JSON', async () => {
    const [a, b] = await parties();
    const { transfer_id } = await aWaiting(a, b);
    expect(invalidFields(await operator().post(`/v1/transfers/${transfer_id}/approve`, { amount: '1' }))).toEqual(['amount']);
    expect((await sendText('POST', `/v1/transfers/${transfer_id}/approve`, '{')).status).toBe(400);
    expect((await show(transfer_id)).status).toBe('pending_approval');
  });
});

describe('transfers at the approval threshold', () => {
  test('a transfer at the threshold answers 202 with an event and nothing on chain; one micro-USDC less is executed', async () => {
    const [a, b] = await parties();
    bodyOf(await send(order(a, b, '9.999999')), 200);
    const before = await landedSignatures(a.address);
    const given = order(a, b, '10', { memo: 'big', category: 'data' });
    const first = await send(given);
    expect(first.body).toEqual({
      transfer_id: expect.stringMatching(/^tr_/),
      created_by: expect.stringMatching(/^key_/),
      message: expect.stringContaining('approve'),
      status: 'pending_approval',
      from: a.id,
      to: b.id,
      amount_usdc: '10.000000',
      memo: 'big',
      category: 'data',
      idempotency_key: given.idempotency_key,
      created_at: expect.stringMatching(TIME),
      approval: { required_by: 'operator', expires_at: expect.stringMatching(TIME) },
    });
    const { transfer_id, created_at, approval } = first.body;
    expect(Math.abs(Date.parse(approval.expires_at) - Date.parse(created_at) - 86_400_000)).toBeLessThan(5_000);
    const again = await send(given);
    expect([again.status, again.headers.get('Idempotent-Replayed'), again.body]).toEqual([202, 'true', first.body]);
    expect(await show(transfer_id)).toEqual(first.body);
    expect(await landedSignatures(a.address)).toEqual(before);
    expect((await eventsOf(a)).slice(2)).toEqual([
      [
        'escalation.required',
        {
          transfer_id,
          account_id: a.id,
          amount_usdc: '10.000000',
          to: b.id,
          memo: 'big',
          threshold_usdc: '10.000000',
          expires_at: approval.expires_at,
        },
      ],
    ]);
  });

  test('a threshold of 0 requires approval for every transfer, also of an agent', async () => {
    const [a, b] = await parties({ escalation_threshold: 0 });
    expect((await (await anAgent(a)).post('/v1/transfers', order(a, b, '0.000001'))).status).toBe(202);
  });

  test('a transfer that violates another rule is rejected without waiting for approval', async () => {
    const [a, b] = await parties({ max_daily_spend: 20 });
    expect((await send(order(a, b, '20.000001'))).body.rejection_reason).toBe('max_daily_spend');
    await setPolicy(a, { max_daily_spend: null });
    expect((await send(order(a, b, '100.000001'))).body.rejection_reason).toBe('insufficient_balance');
  });

  test('a pending transfer reserves nothing', async () => {
    const [a, b] = await parties({ max_daily_spend: 15 });
    await aWaiting(a, b, '12');
    expect(bodyOf(await operator().get(`/v1/accounts/${a.id}/spending`), 200)).toMatchObject({
      remaining_usdc: '15.000000',
      reserved_usdc: '0.000000',
    });
    for (const amount of ['9', '6']) bodyOf(await send(order(a, b, amount)), 200);
  });

  test('twenty concurrent approvals execute a transfer once', async () => {
    const [a, b] = await parties();
    const given = order(a, b, '25');
    const { transfer_id } = bodyOf(await send(given), 202);
    const answers = await Promise.all(Array.from({ length: 20 }, () => approve(transfer_id)));
    expect(countByStatus(answers)).toEqual({ 200: 1, 409: 19 });
    const settled = answers.find(({ status }) => status === 200)?.body;
    expect(settled).toMatchObject({
      transfer_id,
      status: 'settled',
      tx_signature: expect.any(String),
      settled_at: expect.stringMatching(TIME),
    });
    expect(settled).not.toHaveProperty('approval');
    expect(await balanceOf(b)).toBe('25.000000');
    expect((await eventsOf(a)).map(([type]) => type)).toEqual(['escalation.required', 'transfer.initiated', 'transfer.settled']);
    const replay = await send(given);
    expect([replay.status, replay.body]).toEqual([200, settled]);
  });

  test('concurrent approve and deny have one outcome', async () => {
    const [a, b] = await parties();
    const { transfer_id } = await aWaiting(a, b);
    const [yes, no] = await Promise.all([approve(transfer_id), deny(transfer_id)]);
    expect([yes.status, no.status].sort()).toEqual([200, 409]);
    expect(await balanceOf(b)).toBe(yes.status === 200 ? '10.000000' : '0.000000');
  });

  test('a denied transfer is rejected permanently, with the reason', async () => {
    const [a, b] = await parties();
    const given = order(a, b, '10');
    const { transfer_id } = bodyOf(await send(given), 202);
    const denied = bodyOf(await deny(transfer_id, { reason: 'not this month 🦀' }), 200);
    expect(denied).toMatchObject({ transfer_id, status: 'rejected', rejection_reason: 'denied', denial_reason: 'not this month 🦀' });
    expect(await show(transfer_id)).toEqual(denied);
    const replay = await send(given);
    expect([replay.status, replay.headers.get('Idempotent-Replayed'), replay.body]).toMatchObject([
      402,
      'true',
      { error: 'policy_violation', status: 'rejected', transfer_id, rejection_reason: 'denied' },
    ]);
    expect((await approve(transfer_id)).body.status).toBe('rejected');
    expect((await eventsOf(a)).at(-1)).toEqual([
      'transfer.rejected',
      { transfer_id, account_id: a.id, amount_usdc: '10.000000', rejection_reason: 'denied' },
    ]);
    const [record] = await everyRow(`/v1/accounts/${a.id}/transactions?status=rejected`);
    expect(record).toMatchObject({ type: 'rejection', rejection_reason: 'denied', amount_usdc: '10.000000' });
    expect(await balanceOf(b)).toBe('0.000000');
  });

  test('deny without a body stores no reason', async () => {
    const [a, b] = await parties();
    const { transfer_id } = await aWaiting(a, b);
    expect((await sendText('POST', `/v1/transfers/${transfer_id}/deny`, '')).body).not.toHaveProperty('denial_reason');
    expect((await show(transfer_id)).status).toBe('rejected');
  });

  test.each([
    ['max_single_transfer', { max_single_transfer: 9 }, 'policy_violation'],
    ['paused', { paused: true }, 'account_paused'],
    ['allowed_counterparties', { allowed_counterparties: [] }, 'policy_violation'],
    ['require_memo', { require_memo: true }, 'policy_violation'],
  ])('a transfer approved after %s became stricter is rejected', async (rule, policy, error) => {
    const [a, b] = await parties();
    const { transfer_id } = await aWaiting(a, b);
    await setPolicy(a, policy);
    expect((await approve(transfer_id)).body).toMatchObject({ error, status: 'rejected', transfer_id, rejection_reason: rule });
    expect((await show(transfer_id)).status).toBe('rejected');
    expect(await balanceOf(b)).toBe('0.000000');
  });

  test('a transfer approved without balance is insufficient_balance, and needs approval again when it is retried', async () => {
    const [a, b] = await parties();
    const given = order(a, b, '60');
    const { transfer_id } = bodyOf(await send(given), 202);
    for (let count = 0; count < 5; count++) bodyOf(await send(order(a, b, '9')), 200);
    expect((await approve(transfer_id)).body).toMatchObject({
      error: 'insufficient_balance',
      transfer_id,
      rejection_reason: 'insufficient_balance',
    });
    await fund(a, '10');
    expect(bodyOf(await send(given), 202)).toMatchObject({ transfer_id, status: 'pending_approval' });
    expect(bodyOf(await approve(transfer_id), 200)).toMatchObject({ transfer_id, status: 'settled' });
    expect([await balanceOf(a), await balanceOf(b)]).toEqual(['5.000000', '105.000000']);
    expect((await eventsOf(a)).filter(([, data]) => data.transfer_id === transfer_id).map(([type]) => type)).toEqual([
      'escalation.required',
      'transfer.rejected',
      'escalation.required',
      'transfer.initiated',
      'transfer.settled',
    ]);
  });

  test('a transfer approved after the threshold was removed is executed', async () => {
    const [a, b] = await parties();
    const { transfer_id } = await aWaiting(a, b);
    await setPolicy(a, { escalation_threshold: null });
    bodyOf(await approve(transfer_id), 200);
  });

  test('of ten pending transfers, only as many can be approved as fit into the daily limit', async () => {
    const [a, b] = await parties({ max_daily_spend: 35 });
    const waiting = await Promise.all(Array.from({ length: 10 }, () => aWaiting(a, b)));
    const answers = await Promise.all(waiting.map(({ transfer_id }) => approve(transfer_id)));
    expect(countByStatus(answers)).toEqual({ 200: 3, 402: 7 });
    expect(answers.filter(({ status }) => status === 402).every(({ body }) => body.rejection_reason === 'max_daily_spend')).toBe(true);
    expect(await balanceOf(b)).toBe('30.000000');
  });
});
