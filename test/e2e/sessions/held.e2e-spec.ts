import { randomUUID } from 'node:crypto';
import { type Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { anAccount, anAgent, bodyOf, everyRow, micro, operator, type TestAccount } from '../../support/world';

const held = async ({ id }: TestAccount): Promise<string[]> => {
  const { data } = bodyOf(await operator().get('/v1/accounts?limit=100'), 200);
  const paths = ['', '/balance', '/spending'].map(async (path) => bodyOf(await operator().get(`/v1/accounts/${id}${path}`), 200));
  const listed = data.find(({ account_id }: Body) => account_id === id);
  return [listed, ...(await Promise.all(paths))].map(({ held_usdc }) => held_usdc);
};

test('held_usdc is what open sessions hold, and with the balance it is the sum of the records', async () => {
  const [account, payee] = [await anAccount({ usdc: '5' }), await anAccount()];
  expect(await held(account)).toEqual(Array(4).fill('0.000000'));
  const body = { account_id: account.id, provider: 'https://api.example.com', payee: payee.address, cap: '1.5' };
  const { session_id } = bodyOf(await operator().post('/v1/sessions', { ...body, idempotency_key: randomUUID() }), 201);
  expect(await held(account)).toEqual(Array(4).fill('1.500000'));
  const { balance_usdc, held_usdc } = bodyOf(await (await anAgent(account)).get(`/v1/accounts/${account.id}/spending`), 200);
  const records = await eventually(async () => {
    const rows = await everyRow(`/v1/accounts/${account.id}/transactions`);
    expect(rows).toHaveLength(1);
    return rows;
  });
  const sum = records.reduce((total, { direction, amount_usdc }) => total + (direction === 'in' ? 1n : -1n) * micro(amount_usdc), 0n);
  expect(micro(balance_usdc) + micro(held_usdc)).toBe(sum);
  bodyOf(await operator().post(`/v1/sessions/${session_id}/close`), 200);
  expect(await held(account)).toEqual(Array(4).fill('0.000000'));
});
