import { AgentPayments } from '#client';
import { accountNames } from './account-names';

const ACCOUNTS = 1_500;
const idOf = (index: number): string => `acct_${String(index).padStart(26, '0')}`;
const accountOf = (index: number): object => ({ account_id: idOf(index), name: `Account ${index}` });
const answer = (status: number, body: object): Response => Response.json(body, { status });

/** A service with 1,500 accounts, and how often it was asked. */
function service(): { client: AgentPayments; asked: string[] } {
  const asked: string[] = [];
  const fetch = async (input: Request | URL | string): Promise<Response> => {
    const { pathname, searchParams } = new URL(input instanceof Request ? input.url : input);
    asked.push(pathname);
    if (pathname === '/v1/me') return answer(200, { accounts: null });
    if (pathname === '/v1/accounts') {
      const from = Number(searchParams.get('cursor') ?? 0);
      const data = Array.from({ length: 100 }, (_, index) => accountOf(from + index));
      return answer(200, { data, has_more: from + 100 < ACCOUNTS, cursor: String(from + 100) });
    }
    const index = Number(pathname.split('_')[1]);
    return index < ACCOUNTS ? answer(200, accountOf(index)) : answer(404, { error: 'not_found', message: 'There is no such account.' });
  };
  return { client: new AgentPayments({ apiKey: `aps_op_${'1'.repeat(43)}`, baseURL: 'http://service.example', fetch }), asked };
}

test('an account beyond the first 1,000 of an operator is shown by its name, and one of another operator by its id', async () => {
  const { client } = service();
  const nameOf = await accountNames(client, [idOf(3), idOf(1_400), idOf(9_999), 'Address', null]);
  expect([nameOf(idOf(3)), nameOf(idOf(1_400)), nameOf(idOf(9_999)), nameOf('Address'), nameOf(null)]).toEqual([
    'Account 3',
    'Account 1400',
    idOf(9_999),
    'Address',
    null,
  ]);
});

test('of many accounts those that the first 1,000 do not have are read one by one', async () => {
  const { client, asked } = service();
  const ids = Array.from({ length: 21 }, (_, index) => idOf(index * 70));
  const nameOf = await accountNames(client, ids);
  expect(ids.map(nameOf)).toEqual(ids.map((_, index) => `Account ${index * 70}`));
  expect(asked.filter((path) => path === '/v1/accounts')).toHaveLength(10);
  expect(asked.filter((path) => path.startsWith('/v1/accounts/'))).toHaveLength(6);
});

test('a few accounts are read one by one, without the list of all', async () => {
  const { client, asked } = service();
  await accountNames(client, [idOf(1_400), idOf(1_400), idOf(7)]);
  expect(asked.toSorted()).toEqual([`/v1/accounts/${idOf(7)}`, `/v1/accounts/${idOf(1_400)}`, '/v1/me']);
});
