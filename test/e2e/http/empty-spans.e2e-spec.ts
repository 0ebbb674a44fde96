import { sharedService } from '../../support/service';
import { anAccount, bodyOf, operator, pay, type TestAccount } from '../../support/world';

const LATE = '2031-01-01T00:00:00Z';
const EARLY = '2020-01-01T00:00:00Z';
const GROUPS = ['account', 'provider', 'category', 'day', 'rejection_reason'];

let account: TestAccount;
beforeAll(async () => {
  account = await anAccount({ usdc: '5' });
  bodyOf(await pay(account, await anAccount(), '1'), 200);
});

const lists = (): string[] => [
  '/v1/transactions',
  '/v1/transfers',
  '/v1/payments',
  '/v1/audit_log',
  `/v1/accounts/${account.id}/transactions`,
  ...GROUPS.flatMap((group) => [`/v1/usage?group_by=${group}`, `/v1/usage?group_by=${group}&account_id=${account.id}`]),
];

test.each([
  ['until before since', LATE, EARLY],
  ['until at since', EARLY, EARLY],
  ['since in the year 9999 and until in the year 0001', '9999-12-31T23:59:59.999Z', '0001-01-01T00:00:00Z'],
  ['a span before the first record', '0001-01-01T00:00:00Z', '0001-01-02T00:00:00Z'],
  ['a span of the future', '9999-12-30T00:00:00Z', '9999-12-31T23:59:59.999Z'],
])('every list and sum over an empty span is empty: %s', async (_what, since, until) => {
  for (const path of lists()) {
    const query = new URLSearchParams({ since, until });
    const answer = await operator().get(`${path}${path.includes('?') ? '&' : '?'}${query}`);
    expect([path, answer.status, answer.body.data]).toEqual([path, 200, []]);
  }
});

test('an export over an empty span has its header row alone', async () => {
  const { baseUrl, operatorKey } = sharedService();
  const response = await fetch(new URL(`/v1/transactions?since=${LATE}&until=${EARLY}`, baseUrl), {
    headers: { Authorization: `Bearer ${operatorKey}`, Accept: 'text/csv' },
  });
  expect([response.status, (await response.text()).trim().split('\n')]).toEqual([200, [expect.stringContaining('account_id')]]);
});
