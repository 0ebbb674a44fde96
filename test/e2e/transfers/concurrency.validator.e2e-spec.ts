import {
  anAccount,
  balanceOf,
  chainBalance,
  eventsOf,
  bodyOf,
  landedSignatures,
  operator,
  order,
  query,
  setPolicy,
  countByStatus,
  isReplay,
  withoutRequestId,
  type TestAccount,
} from '../../support/world';

const send = (body: unknown) => operator().post('/v1/transfers', body);
const transactions = async (account: TestAccount): Promise<number> => (await landedSignatures(account.address)).length;

describe('concurrent transfers', () => {
  test('a hundred concurrent equal requests are one transaction and get equal responses', async () => {
    const [a, b] = [await anAccount({ usdc: '100' }), await anAccount()];
    const given = order(a, b, '1', { memo: 'once' });
    const before = await transactions(a);
    const answers = await Promise.all(Array.from({ length: 100 }, () => send(given)));
    expect(countByStatus(answers)).toEqual({ 200: 100 });
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(answers.filter((answer) => !isReplay(answer))).toHaveLength(1);
    expect([(await transactions(a)) - before, await chainBalance(b.tokenAccount)]).toEqual([1, 1_000_000n]);
    expect((await eventsOf(a)).map(([type]) => type)).toEqual(['transfer.initiated', 'transfer.settled']);
    expect(await query('SELECT id FROM orders WHERE account_id = $1', [a.id])).toHaveLength(1);
  });

  test('a hundred concurrent equal requests that violate a rule are one rejection', async () => {
    const [a, b] = [await anAccount({ usdc: '100', policy: { max_daily_spend: 0.5 } }), await anAccount()];
    const given = order(a, b, '1');
    const answers = await Promise.all(Array.from({ length: 100 }, () => send(given)));
    expect(countByStatus(answers)).toEqual({ 402: 100 });
    expect(new Set(answers.map((answer) => JSON.stringify(withoutRequestId(answer)))).size).toBe(1);
    expect(await eventsOf(a)).toHaveLength(1);
  });

  test('of two concurrent orders under one key one is executed and the other answers 409', async () => {
    const [a, b] = [await anAccount({ usdc: '100' }), await anAccount()];
    const given = order(a, b, '1');
    const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => send({ ...given, amount: index % 2 ? '1' : '2' })));
    expect(countByStatus(answers)).toEqual({ 200: 20, 409: 20 });
    const [settled] = answers.filter(({ status }) => status === 200);
    expect(`${await balanceOf(b)}`).toBe(settled?.body.amount_usdc);
  });

  test('of forty concurrent orders against a daily limit for ten, exactly ten settle', async () => {
    const [a, b] = [await anAccount({ usdc: '100', policy: { max_daily_spend: 10 } }), await anAccount()];
    const answers = await Promise.all(Array.from({ length: 40 }, () => send(order(a, b, '1'))));
    expect(countByStatus(answers)).toEqual({ 200: 10, 402: 30 });
    for (const { status, body } of answers)
      if (status === 402)
        expect(body).toMatchObject({ error: 'policy_violation', rejection_reason: 'max_daily_spend', policy: { limit_usdc: '10.000000' } });
    expect([await balanceOf(a), await balanceOf(b)]).toEqual(['90.000000', '10.000000']);
    const spending = bodyOf(await operator().get(`/v1/accounts/${a.id}/spending`), 200);
    expect([spending.spent_usdc, spending.remaining_usdc]).toEqual(['10.000000', '0.000000']);
    const events = (await eventsOf(a)).map(([type]) => type);
    expect(events.filter((type) => type === 'transfer.settled')).toHaveLength(10);
    expect(events.filter((type) => type === 'transfer.rejected')).toHaveLength(30);
  });

  test('of forty concurrent orders against a balance for ten, exactly ten settle', async () => {
    const [a, b] = [await anAccount({ usdc: '10' }), await anAccount()];
    const answers = await Promise.all(Array.from({ length: 40 }, () => send(order(a, b, '1'))));
    expect(countByStatus(answers)).toEqual({ 200: 10, 402: 30 });
    expect(answers.filter(({ status }) => status === 402).every(({ body }) => body.error === 'insufficient_balance')).toBe(true);
    expect([await balanceOf(a), await balanceOf(b)]).toEqual(['0.000000', '10.000000']);
  });

  test('a pause stops orders that were not sent, and orders answered as settled are settled', async () => {
    const [a, b] = [await anAccount({ usdc: '100' }), await anAccount()];
    const sent = Array.from({ length: 40 }, () => send(order(a, b, '1')));
    await setPolicy(a, { paused: true });
    expect((await send(order(a, b, '1'))).body.error).toBe('account_paused');
    const answers = await Promise.all(sent);
    const settled = answers.filter(({ status }) => status === 200).length;
    expect(settled + answers.filter(({ body }) => body.error === 'account_paused').length).toBe(40);
    expect(await balanceOf(b)).toBe(`${settled}.000000`);
  });
});
