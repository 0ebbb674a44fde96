import { randomUUID } from 'node:crypto';
import { api } from '../../support/api';
import { sharedService } from '../../support/service';
import { anAccount, balanceOf, bodyOf, operator, order, pay, stranger, type TestAccount } from '../../support/world';

const path = (account: TestAccount, query = ''): string => `/v1/accounts/${account.id}/statement${query}`;
const statementOf = async (account: TestAccount) => bodyOf(await operator().get(path(account)), 200);
const nameOf = async ({ id }: TestAccount): Promise<string> => bodyOf(await operator().get(`/v1/accounts/${id}`), 200).name;
const thisMonth = (): string => new Date().toISOString().slice(0, 7);

let payer: TestAccount;
let payee: TestAccount;
beforeAll(async () => {
  [payer, payee] = [await anAccount({ usdc: '10', policy: { max_single_transfer: 5 } }), await anAccount()];
  // Reads what has arrived, so that the deposit is the first record.
  await statementOf(payer);
  for (const amount of ['1', '2.5', '6']) await pay(payer, payee, amount);
});

test('the statement of the running month agrees with the chain, and has what moved money, oldest first', async () => {
  const { records, fees, ...rest } = await statementOf(payer);
  expect(rest).toMatchObject({
    account_id: payer.id,
    month: thisMonth(),
    complete: false,
    opening_balance_usdc: '0.000000',
    in_usdc: '10.000000',
    out_usdc: '3.500000',
    closing_balance_usdc: await balanceOf(payer),
    held_usdc: '0.000000',
  });
  expect(records.map(({ type, direction, amount_usdc }: Record<string, string>) => [type, direction, amount_usdc])).toEqual([
    ['deposit', 'in', '10.000000'],
    ['transfer', 'out', '1.000000'],
    ['transfer', 'out', '2.500000'],
  ]);
  expect(fees).toEqual({ lamports: 20_000, transactions: 2 });
  expect(await statementOf(payee)).toMatchObject({ in_usdc: '3.500000', closing_balance_usdc: '3.500000', fees: { lamports: 0 } });
});

test('what an open session holds is part of the closing balance', async () => {
  const account = await anAccount({ usdc: '10' });
  const session = { account_id: account.id, provider: 'https://api.example.com', payee: payee.address, cap: '4' };
  bodyOf(await operator().post('/v1/sessions', { ...session, idempotency_key: randomUUID() }), 201);
  expect(await statementOf(account)).toMatchObject({ closing_balance_usdc: '10.000000', held_usdc: '4.000000', out_usdc: '0.000000' });
});

test('a statement as CSV has a first row of type opening and a last one of type closing', async () => {
  const { baseUrl, operatorKey } = sharedService();
  const response = await fetch(new URL(path(payer, `?month=${thisMonth()}`), baseUrl), {
    headers: { Authorization: `Bearer ${operatorKey}`, Accept: 'text/csv' },
  });
  expect(response.headers.get('content-disposition')).toContain(`statement-${payer.id}-${thisMonth()}.csv`);
  const [header = '', opening = '', ...rows] = (await response.text()).trim().split('\r\n');
  expect(header.endsWith(',labels,fee_lamports,balance_usdc')).toBe(true);
  const columns = header.split(',');
  const paid = rows.find((row) => row.includes(payee.id))?.split(',');
  const cell = (name: string): string | undefined => paid?.[columns.indexOf(name)];
  expect([cell('signed_amount_usdc'), cell('fee_lamports'), cell('account_name'), cell('counterparty_name')]).toEqual([
    '-1.000000',
    '10000',
    await nameOf(payer),
    await nameOf(payee),
  ]);
  expect([opening.includes('opening'), opening.endsWith(',0.000000'), rows.at(-1)?.endsWith(',6.500000')]).toEqual([true, true, true]);
});

test.each(['2999-01', '0000-01', '2026-13', '2026-1', 'x', ''])('a statement of the month %j is 400', async (month) => {
  const { details } = bodyOf(await operator().get(path(payer, `?month=${month}`)), 400);
  expect(details).toEqual([{ field: 'month', message: expect.any(String) }]);
});

test('a statement of a month before the account is one of zeros', async () =>
  expect(bodyOf(await operator().get(path(payer, '?month=2020-02')), 200)).toMatchObject({
    complete: true,
    records: [],
    opening_balance_usdc: '0.000000',
    closing_balance_usdc: '0.000000',
    from: '2020-02-01T00:00:00.000Z',
    to: '2020-03-01T00:00:00.000Z',
  }));

test('an agent reads the statement of its own account only', async () => {
  const { key } = bodyOf(await operator().post('/v1/api_keys', { type: 'agent', account_ids: [payer.id] }), 201);
  const agent = api(sharedService().baseUrl, key);
  expect([(await agent.get(path(payer))).status, (await agent.get(path(payee))).status]).toEqual([200, 403]);
  expect((await stranger().get(path(payer))).status).toBe(404);
});

test('the statement of a closed account stays', async () => {
  const account = await anAccount({ usdc: '2' });
  bodyOf(await operator().post('/v1/transfers', order(account, payee, '0.5')), 200);
  expect((await operator().post(`/v1/accounts/${account.id}/close`, { destination: payee.id })).status).toBe(200);
  expect(await statementOf(account)).toMatchObject({ in_usdc: '2.000000', out_usdc: '2.000000', closing_balance_usdc: '0.000000' });
});
