import { TIME, anAccount, balanceOf, eventsOf, bodyOf, operator, order, pay, setPolicy, type TestAccount } from '../../support/world';

const send = (body: unknown) => operator().post('/v1/transfers', body);

describe('policy rules of POST /v1/transfers', () => {
  let payee: TestAccount;
  beforeAll(async () => void (payee = await anAccount()));

  /** The rejection of an order: its whole body without what differs each time. */
  async function rejectionOf(payer: TestAccount, amount: string, more: object = {}): Promise<unknown> {
    const { status, body } = await pay(payer, payee, amount, more);
    expect(status).toBe(402);
    expect(body).toMatchObject({
      message: expect.stringMatching(/^[A-Z0-9].*\.$/),
      request_id: expect.any(String),
      transfer_id: expect.stringMatching(/^tr_/),
      status: 'rejected',
    });
    const { message: _message, request_id: _id, doc_url, transfer_id, status: _status, ...rest } = body;
    expect(doc_url).toMatch(new RegExp(`/docs/errors#${body.rejection_reason}$`));
    expect((await eventsOf(payer)).filter(([, data]) => data.transfer_id === transfer_id).map(([type]) => type)).toEqual([
      'transfer.rejected',
    ]);
    return rest;
  }

  test('paused rejects every transfer, before all other rules', async () => {
    const a = await anAccount({
      usdc: '1',
      policy: {
        paused: true,
        max_single_transfer: 0,
        allowed_counterparties: [],
        categories: [],
        require_memo: true,
        max_daily_spend: 0,
        escalation_threshold: 0,
      },
    });
    expect(await rejectionOf(a, '5')).toEqual({
      error: 'account_paused',
      rejection_reason: 'paused',
      policy: { rule: 'paused', scope: 'account', attempted_usdc: '5.000000', version: 2 },
    });
  });

  test('max_single_transfer allows the limit and rejects one micro-USDC over', async () => {
    const a = await anAccount({ usdc: '10', policy: { max_single_transfer: 1.5 } });
    bodyOf(await pay(a, payee, '1.5'), 200);
    expect(await rejectionOf(a, '1.500001')).toEqual({
      error: 'policy_violation',
      rejection_reason: 'max_single_transfer',
      policy: { rule: 'max_single_transfer', scope: 'account', limit_usdc: '1.500000', attempted_usdc: '1.500001', version: 2 },
    });
    expect((await pay(a, payee, '1.500001')).body.message).toContain('1.500001');
  });

  test('limits of 0 reject every transfer', async () => {
    for (const rule of ['max_single_transfer', 'max_daily_spend']) {
      expect(await rejectionOf(await anAccount({ usdc: '1', policy: { [rule]: 0 } }), '0.000001')).toMatchObject({
        rejection_reason: rule,
        policy: { limit_usdc: '0.000000' },
      });
    }
  });

  test('allowed_counterparties allows by account, by its address and by its token account, and rejects others', async () => {
    const other = await anAccount();
    for (const named of [payee.id, payee.address, payee.tokenAccount]) {
      const a = await anAccount({ usdc: '1', policy: { allowed_counterparties: [other.id, named] } });
      for (const to of [payee.id, payee.tokenAccount]) bodyOf(await pay(a, to, '0.1'), 200);
    }
    const a = await anAccount({ usdc: '1', policy: { allowed_counterparties: [other.id] } });
    expect(await rejectionOf(a, '0.1')).toEqual({
      error: 'policy_violation',
      rejection_reason: 'allowed_counterparties',
      policy: { rule: 'allowed_counterparties', scope: 'account', attempted_usdc: '0.100000', allowed: [other.id], version: 2 },
    });
  });

  test('categories allows a listed category, and rejects another and none', async () => {
    const a = await anAccount({ usdc: '1', policy: { categories: ['data', 'agent-reward'] } });
    for (const category of ['data', 'agent-reward']) bodyOf(await pay(a, payee, '0.1', { category }), 200);
    for (const more of [{ category: 'search' }, { category: 'dat' }, { category: 'data-' }, {}]) {
      expect(await rejectionOf(a, '0.1', more)).toEqual({
        error: 'policy_violation',
        rejection_reason: 'categories',
        policy: { rule: 'categories', scope: 'account', attempted_usdc: '0.100000', allowed: ['data', 'agent-reward'], version: 2 },
      });
    }
  });

  test('require_memo rejects a memo of blanks', async () => {
    const a = await anAccount({ usdc: '1', policy: { require_memo: true } });
    for (const more of [{}, { memo: '' }, { memo: ' \t\n\u00a0\u3000 ' }]) {
      expect(await rejectionOf(a, '0.1', more)).toEqual({
        error: 'policy_violation',
        rejection_reason: 'require_memo',
        policy: { rule: 'require_memo', scope: 'account', attempted_usdc: '0.100000', version: 2 },
      });
    }
    bodyOf(await pay(a, payee, '0.1', { memo: '.' }), 200);
  });

  test('max_daily_spend allows the limit and rejects one micro-USDC over', async () => {
    const a = await anAccount({ usdc: '10', policy: { max_daily_spend: 2 } });
    bodyOf(await pay(a, payee, '1.25'), 200);
    expect(await rejectionOf(a, '0.750001')).toEqual({
      error: 'policy_violation',
      rejection_reason: 'max_daily_spend',
      policy: {
        rule: 'max_daily_spend',
        scope: 'account',
        limit_usdc: '2.000000',
        attempted_usdc: '0.750001',
        remaining_usdc: '0.750000',
        reserved_usdc: '0.000000',
        available_at: expect.stringMatching(TIME),
        version: 2,
      },
    });
    const never = await rejectionOf(a, '2.000001');
    expect(never).toMatchObject({ policy: { remaining_usdc: '0.750000' } });
    expect(never).not.toHaveProperty('policy.available_at');
    bodyOf(await pay(a, payee, '0.75'), 200);
  });

  test('max_daily_spend counts what was spent before it was set', async () => {
    const a = await anAccount({ usdc: '10' });
    bodyOf(await pay(a, payee, '3'), 200);
    await setPolicy(a, { max_daily_spend: 4 });
    expect(await rejectionOf(a, '1.000001')).toMatchObject({ policy: { remaining_usdc: '1.000000' } });
    await setPolicy(a, { max_daily_spend: 2 });
    expect(await rejectionOf(a, '0.000001')).toMatchObject({ policy: { remaining_usdc: '0.000000' } });
  });

  test('insufficient_balance rejects one micro-USDC over the balance', async () => {
    const a = await anAccount({ usdc: '1' });
    expect(await rejectionOf(a, '1.000001')).toEqual({
      error: 'insufficient_balance',
      rejection_reason: 'insufficient_balance',
      policy: { rule: 'insufficient_balance', scope: 'account', attempted_usdc: '1.000001', remaining_usdc: '1.000000', version: 1 },
    });
    bodyOf(await pay(a, payee, '1'), 200);
  });

  test('rules are checked in their documented order, and the first violation is reported', async () => {
    const a = await anAccount({
      usdc: '1',
      policy: {
        paused: true,
        max_single_transfer: 1,
        allowed_counterparties: [],
        categories: [],
        require_memo: true,
        max_daily_spend: 0.5,
        escalation_threshold: 0,
      },
    });
    const steps = [
      ['paused', { paused: false }],
      ['max_single_transfer', { max_single_transfer: 2 }],
      ['allowed_counterparties', { allowed_counterparties: null }],
      ['categories', { categories: null }],
      ['require_memo', { require_memo: false }],
      ['max_daily_spend', { max_daily_spend: null }],
    ] as const;
    for (const [rule, relaxed] of steps) {
      expect(await rejectionOf(a, '1.5')).toMatchObject({ rejection_reason: rule });
      await setPolicy(a, relaxed);
    }
    expect(await rejectionOf(a, '1.5')).toMatchObject({ rejection_reason: 'insufficient_balance' });
    expect((await pay(a, payee, '1')).body.status).toBe('pending_approval');
  });

  test('a rejection is stored with its reason, returned by GET, reported by one event, and moves nothing', async () => {
    const a = await anAccount({ usdc: '1', policy: { max_single_transfer: 0.5 } });
    const given = order(a, payee, '0.6', { memo: 'why not' });
    const { transfer_id } = bodyOf(await send(given), 402);
    expect(bodyOf(await operator().get(`/v1/transfers/${transfer_id}`), 200)).toMatchObject({
      transfer_id,
      status: 'rejected',
      rejection_reason: 'max_single_transfer',
      from: a.id,
      to: payee.id,
      amount_usdc: '0.600000',
      memo: 'why not',
      idempotency_key: given.idempotency_key,
      created_at: expect.stringMatching(TIME),
    });
    expect(await eventsOf(a)).toEqual([
      ['transfer.rejected', { account_id: a.id, transfer_id, amount_usdc: '0.600000', rejection_reason: 'max_single_transfer' }],
    ]);
    expect(await balanceOf(a)).toBe('1.000000');
  });
});
