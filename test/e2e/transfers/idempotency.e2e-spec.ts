import { randomUUID } from 'node:crypto';
import {
  anAccount,
  balanceOf,
  eventsOf,
  everyRow,
  fund,
  bodyOf,
  landedSignatures,
  operator,
  order,
  setPolicy,
  stranger,
  isReplay,
  withoutRequestId,
  type TestAccount,
} from '../../support/world';

const send = (body: unknown) => operator().post('/v1/transfers', body);
const transactions = async (account: TestAccount): Promise<number> => (await landedSignatures(account.address)).length;

describe('a used idempotency key', () => {
  test('a used idempotency key with any other parameter answers 409 and changes nothing', async () => {
    const [a, b, c] = [await anAccount({ usdc: '10' }), await anAccount(), await anAccount({ usdc: '10' })];
    const given = order(a, b, '1', { memo: 'm', category: 'data' });
    bodyOf(await send(given), 200);
    const others = [
      { from: c.id },
      { to: c.id },
      { amount: '1.000001' },
      { memo: 'n' },
      { memo: 'm ' },
      { memo: undefined },
      { category: 'search' },
      { category: undefined },
    ];
    for (const other of others)
      expect([other, bodyOf(await send({ ...given, ...other }), 409).error]).toEqual([other, 'idempotency_conflict']);
    expect([await balanceOf(a), await balanceOf(b), await balanceOf(c)]).toEqual(['9.000000', '1.000000', '10.000000']);
    expect(await eventsOf(c)).toEqual([]);
  });

  test('a used idempotency key with other parameters answers 409 before the recipient and the rules are checked', async () => {
    const [a, b] = [await anAccount({ usdc: '10' }), await anAccount()];
    const given = order(a, b, '1');
    bodyOf(await send(given), 200);
    await setPolicy(a, { paused: true });
    for (const to of [a.id, 'nobody', b.address]) bodyOf(await send({ ...given, to }), 409);
    bodyOf(await send({ ...given, amount: '5' }), 409);
    expect(bodyOf(await send(given), 200).status).toBe('settled');
  });

  test('a used idempotency key returns the settled transfer, however the amount is written, and moves no more money', async () => {
    const [a, b] = [await anAccount({ usdc: '10' }), await anAccount()];
    const given = order(a, b, '1.5', { memo: 'm' });
    const first = await send(given);
    expect([first.status, isReplay(first)]).toEqual([200, false]);
    const before = await transactions(a);
    for (const amount of ['1.5', '1.500000', '01.50', '000000000001.5']) {
      const again = await send({ ...given, amount });
      expect([again.status, isReplay(again), again.body]).toEqual([200, true, first.body]);
    }
    expect([await transactions(a), await balanceOf(b)]).toEqual([before, '1.500000']);
    expect((await eventsOf(a)).map(([type]) => type)).toEqual(['transfer.initiated', 'transfer.settled']);
  });

  test('a policy rejection is final for its idempotency key, even after the policy was relaxed', async () => {
    const [a, b] = [await anAccount({ usdc: '10', policy: { max_single_transfer: 1 } }), await anAccount()];
    const given = order(a, b, '2');
    const first = await send(given);
    bodyOf(first, 402);
    await setPolicy(a, { max_single_transfer: null });
    const again = await send(given);
    expect([again.status, isReplay(again), withoutRequestId(again)]).toEqual([402, true, withoutRequestId(first)]);
    expect(await eventsOf(a)).toHaveLength(1);
    expect(await everyRow(`/v1/accounts/${a.id}/transactions?status=rejected`)).toHaveLength(1);
    bodyOf(await send({ ...given, idempotency_key: randomUUID() }), 200);
  });

  test('insufficient_balance runs again under its key and transfer_id, and each rejection stays in the history', async () => {
    const [a, b] = [await anAccount({ usdc: '1' }), await anAccount()];
    const given = order(a, b, '2');
    const first = bodyOf(await send(given), 402);
    const second = await send(given);
    expect([second.status, isReplay(second), second.body.transfer_id]).toEqual([402, false, first.transfer_id]);
    bodyOf(await send({ ...given, amount: '1' }), 409);
    await fund(a, '1.5');
    const third = await send(given);
    expect([third.status, isReplay(third), third.body.transfer_id]).toEqual([200, false, first.transfer_id]);
    expect(third.body).not.toHaveProperty('rejection_reason');
    expect(bodyOf(await send(given), 200)).toEqual(third.body);
    expect((await eventsOf(a)).map(([type]) => type)).toEqual([
      'transfer.rejected',
      'transfer.rejected',
      'transfer.initiated',
      'transfer.settled',
    ]);
    const history = (await everyRow(`/v1/accounts/${a.id}/transactions`)).filter(({ type }) => type !== 'deposit');
    expect(history.map(({ type, rejection_reason }) => [type, rejection_reason])).toEqual([
      ['transfer', null],
      ['rejection', 'insufficient_balance'],
      ['rejection', 'insufficient_balance'],
    ]);
    expect([await balanceOf(a), await balanceOf(b)]).toEqual(['0.500000', '2.000000']);
  });

  test('a retry after insufficient_balance is checked against the current policy', async () => {
    const [a, b] = [await anAccount({ usdc: '1' }), await anAccount()];
    const given = order(a, b, '2');
    bodyOf(await send(given), 402);
    await fund(a, '5');
    await setPolicy(a, { max_single_transfer: 1.5 });
    expect(bodyOf(await send(given), 402).rejection_reason).toBe('max_single_transfer');
    await setPolicy(a, { max_single_transfer: null });
    expect(bodyOf(await send(given), 402).rejection_reason).toBe('max_single_transfer');
  });

  test('idempotency keys of different operators are independent', async () => {
    const [a, b] = [await anAccount({ usdc: '5' }), await anAccount()];
    const [c, d] = [await anAccount({ usdc: '5', by: stranger() }), await anAccount({ by: stranger() })];
    const idempotency_key = randomUUID();
    bodyOf(await send(order(a, b, '1', { idempotency_key })), 200);
    const theirs = await stranger().post('/v1/transfers', order(c, d, '2', { idempotency_key }));
    expect([theirs.status, isReplay(theirs)]).toEqual([200, false]);
  });

  test('idempotency keys that differ in case or Unicode form are different', async () => {
    const [a, b] = [await anAccount({ usdc: '5' }), await anAccount()];
    for (const key of ['Key é', 'key é', 'key e\u0301', 'key é '])
      bodyOf(await send(order(a, b, '1', { idempotency_key: `${a.id} ${key}` })), 200);
    expect(await balanceOf(b)).toBe('4.000000');
  });
});
