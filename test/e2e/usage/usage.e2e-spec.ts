import { randomUUID } from 'node:crypto';
import type { Body } from '../../support/api';
import { anOutsider } from '../../support/outsider';
import { anAccount, anAgent, bodyOf, invalidFields, operator, pay, stranger, type TestAccount } from '../../support/world';

describe('GET /v1/usage', () => {
  let a: TestAccount;
  let b: TestAccount;
  let since: string;
  const usage = async (search: string, by = operator()): Promise<Body[]> => bodyOf(await by.get(`/v1/usage?${search}`), 200).data;
  const row = (group: string | null, settled_usdc: string, settled_count: number, rejected_count: number) => ({
    group,
    settled_usdc,
    settled_count,
    rejected_count,
  });

  beforeAll(async () => {
    [a, b] = [await anAccount({ usdc: '50', policy: { max_single_transfer: 5 } }), await anAccount({ usdc: '50' })];
    const first = bodyOf(await pay(a, b, '1', { category: 'data' }), 200);
    since = first.created_at;
    bodyOf(await pay(a, b, '2.5', { category: 'data' }), 200);
    bodyOf(await pay(a, b, '0.000001', { category: 'search' }), 200);
    bodyOf(await pay(a, b, '6', { category: 'data' }), 402);
    bodyOf(await pay(a, b, '100'), 402);
    bodyOf(await pay(b, a, '4'), 200);
    const { owner: payee } = await anOutsider();
    const session = { account_id: a.id, provider: 'https://api.example.com', payee, cap: '1', idempotency_key: randomUUID() };
    const { session_id } = bodyOf(await operator().post('/v1/sessions', session), 201);
    bodyOf(await operator().post(`/v1/sessions/${session_id}/close`), 200);
  });

  test('GET /v1/usage groups what an account spent and what was declined, without what it received', async () => {
    expect(await usage(`group_by=account&account_id=${a.id}`)).toEqual([row(a.id, '3.500001', 4, 2)]);
    expect(await usage(`group_by=account&account_id=${b.id}`)).toEqual([row(b.id, '4.000000', 1, 0)]);
  });

  test('GET /v1/usage groups by category, provider and reason, the greatest amount first, and null where there is none', async () => {
    expect(await usage(`group_by=category&account_id=${a.id}`)).toEqual([
      row('data', '3.500000', 2, 1),
      row('search', '0.000001', 1, 0),
      row(null, '0.000000', 1, 1),
    ]);
    expect(await usage(`group_by=provider&account_id=${a.id}`)).toEqual([
      row(null, '3.500001', 3, 2),
      row('https://api.example.com', '0.000000', 1, 0),
    ]);
    expect(await usage(`group_by=rejection_reason&account_id=${a.id}`)).toEqual([
      row(null, '3.500001', 4, 0),
      row('max_single_transfer', '0.000000', 0, 2),
    ]);
  });

  test('GET /v1/usage groups by the day of UTC', async () => {
    const days = await usage(`group_by=day&account_id=${a.id}`);
    const records: Body[] = bodyOf(await operator().get(`/v1/transactions?account_id=${a.id}`), 200).data;
    const spent = records.filter(({ direction }) => direction === 'out').map(({ created_at }) => created_at.slice(0, 10));
    expect(days.map(({ group }) => group)).toEqual([...new Set(spent)].sort().reverse());
    expect(days.reduce((sum, { rejected_count }) => sum + rejected_count, 0)).toBe(2);
  });

  test('GET /v1/usage counts records later than since and up to until', async () => {
    const records: Body[] = bodyOf(await operator().get(`/v1/transactions?account_id=${a.id}&type=transfer`), 200).data;
    const [last, , first] = records.filter(({ direction }) => direction === 'out');
    expect(await usage(`group_by=account&account_id=${a.id}&since=${first?.created_at}&until=${last?.created_at}`)).toEqual([
      row(a.id, '2.500001', 2, 0),
    ]);
    expect(await usage(`group_by=account&account_id=${a.id}&until=${since}`)).toEqual([]);
    expect(await usage(`group_by=account&account_id=${a.id}&since=2999-01-01T00:00:00Z`)).toEqual([]);
  });

  test('GET /v1/usage covers all accounts of the operator and none of another', async () => {
    const groups = (await usage('group_by=account')).map(({ group }) => group);
    for (const { id } of [a, b]) expect(groups).toContain(id);
    expect(await usage(`group_by=account&account_id=${a.id}`, stranger())).toEqual([]);
  });

  test.each<[string, string]>([
    ['', 'group_by'],
    ['group_by=', 'group_by'],
    ['group_by=month', 'group_by'],
    ['group_by=day&account_id=', 'account_id'],
    ['group_by=day&since=x', 'since'],
    ['group_by=day&until=x', 'until'],
    ['group_by=day&limit=5', 'limit'],
  ])('GET /v1/usage rejects %j and names the parameter', async (search, field) =>
    expect(invalidFields(await operator().get(`/v1/usage?${search}`))).toEqual([field]),
  );

  test('GET /v1/usage without group_by says that it is required', async () =>
    expect((await operator().get('/v1/usage')).body.message).toBe('group_by is required.'));

  test('GET /v1/usage answers 403 to an agent', async () =>
    expect((await (await anAgent(a)).get('/v1/usage?group_by=day')).status).toBe(403));
});
