import { randomUUID } from 'node:crypto';
import type { Body } from '../../support/api';
import { aTokenAccountOf } from '../../support/tokens';
import {
  anAccount,
  anAgent,
  bodyOf,
  invalidFields,
  operator,
  order,
  pay,
  setPolicy,
  stranger,
  type TestAccount,
} from '../../support/world';

describe('GET /v1/transfers filters', () => {
  let a: TestAccount;
  let b: TestAccount;
  let outside: string;
  const made: Record<string, Body> = {};
  const list = async (search: string, by = operator()): Promise<string[]> =>
    bodyOf(await by.get(`/v1/transfers?account_id=${a.id}&${search}`), 200).data.map(({ transfer_id }: Body) => transfer_id);
  const named = (...names: string[]): string[] => names.map((name) => made[name]?.transfer_id);

  beforeAll(async () => {
    [a, b, outside] = [await anAccount({ usdc: '50' }), await anAccount(), await aTokenAccountOf()];
    made.first = bodyOf(await pay(a, b, '1', { category: 'data', reference: 'r-1' }), 200);
    made.byHandle = bodyOf(await pay(a, b.handle, '2', { category: 'search' }), 200);
    made.byToken = bodyOf(await pay(a, b.tokenAccount, '3', { reference: 'r-1' }), 200);
    made.outside = bodyOf(await pay(a, outside, '4'), 200);
    await setPolicy(a, { max_single_transfer: 10 });
    made.rejected = bodyOf(await pay(a, b, '11', { category: 'data' }), 402);
  });

  test('GET /v1/transfers filters by to, whichever name of an account it was', async () => {
    const all = named('rejected', 'byToken', 'byHandle', 'first');
    for (const to of [b.id, b.handle, b.tokenAccount]) expect([to, await list(`to=${to}`)]).toEqual([to, all]);
    expect(await list(`to=${outside}`)).toEqual(named('outside'));
    expect(await list('to=nobody')).toEqual([]);
    const theirs = await anAccount({ by: stranger() });
    expect(await list(`to=${theirs.id}`)).toEqual([]);
  });

  test('GET /v1/transfers filters by category, rejection_reason and reference', async () => {
    expect(await list('category=data')).toEqual(named('rejected', 'first'));
    expect(await list('category=search')).toEqual(named('byHandle'));
    expect(await list('rejection_reason=max_single_transfer')).toEqual(named('rejected'));
    expect(await list('rejection_reason=paused')).toEqual([]);
    expect(await list('reference=r-1')).toEqual(named('byToken', 'first'));
    expect(await list('reference=r-2')).toEqual([]);
    expect(await list(`reference=r-1&category=data&to=${b.id}&status=settled`)).toEqual(named('first'));
  });

  test('GET /v1/transfers filters by min_amount, inclusive', async () => {
    expect(await list('min_amount=4')).toEqual(named('rejected', 'outside'));
    expect(await list('min_amount=4.000001')).toEqual(named('rejected'));
    expect(await list('min_amount=11')).toEqual(named('rejected'));
    expect(await list('min_amount=11.000001')).toEqual([]);
  });

  test('GET /v1/transfers filters by since, exclusive, and until, inclusive', async () => {
    const { created_at } = bodyOf(await operator().get(`/v1/transfers/${made.byToken?.transfer_id}`), 200);
    expect(await list(`since=${created_at}`)).toEqual(named('rejected', 'outside'));
    expect(await list(`until=${created_at}`)).toEqual(named('byToken', 'byHandle', 'first'));
    expect(await list(`since=${created_at}&until=${created_at}`)).toEqual([]);
  });

  test('an agent finds its own accounts’ transfers only', async () => {
    const reference = randomUUID();
    bodyOf(await pay(a, b, '1', { reference }), 200);
    const [mine, others] = [await anAgent(a), await anAgent(b)];
    expect(bodyOf(await mine.get(`/v1/transfers?reference=${reference}`), 200).data).toHaveLength(1);
    for (const by of [others, stranger()]) expect(bodyOf(await by.get(`/v1/transfers?reference=${reference}`), 200).data).toEqual([]);
  });

  test.each([
    'to=',
    `to=${'x'.repeat(129)}`,
    'category=',
    'category=A',
    'rejection_reason=',
    ...['0', '-1', '1e3', '0.0000001', 'x', ''].map((value) => `min_amount=${value}`),
    `reference=${'r'.repeat(129)}`,
    'since=yesterday',
    'until=2026-01-01',
  ])('GET /v1/transfers rejects %s and names the parameter', async (search) =>
    expect(invalidFields(await operator().get(`/v1/transfers?${search}`))).toEqual([search.split('=')[0]]),
  );
});

describe('GET /v1/transfers', () => {
  const listed = (search: string) => operator().get(`/v1/transfers?${search}`);

  test.each([
    'limit=0',
    'limit=101',
    'cursor=x',
    'cursor=',
    'status=',
    'status=created',
    'status=Settled',
    'account_id=',
    'idempotency_key=',
    `idempotency_key=${'k'.repeat(129)}`,
    'idempotency_key=%00',
    'from=acct_1',
  ])('GET /v1/transfers rejects %s and names the parameter', async (search) => {
    expect(invalidFields(await listed(search))).toEqual([search.split('=')[0]]);
  });

  test('GET /v1/transfers filters by account, status and key, returns each transfer as GET does, and pages', async () => {
    const [a, b] = [await anAccount({ usdc: '50', policy: { max_single_transfer: 5, escalation_threshold: 3 } }), await anAccount()];
    const [settled, rejected, waiting] = [order(a, b, '1'), order(a, b, '6'), order(a, b, '3', { idempotency_key: `${a.id} &=?#🦀` })];
    for (const each of [settled, rejected, waiting]) await operator().post('/v1/transfers', each);
    const keys = async (search: string) =>
      bodyOf(await listed(`account_id=${a.id}&${search}`), 200).data.map(({ idempotency_key }: Body) => idempotency_key);
    expect(await keys('')).toEqual([waiting, rejected, settled].map(({ idempotency_key }) => idempotency_key));
    for (const [status, each] of [
      ['settled', settled],
      ['rejected', rejected],
      ['pending_approval', waiting],
    ] as const)
      expect([status, await keys(`status=${status}`)]).toEqual([status, [each.idempotency_key]]);
    for (const status of ['submitted', 'failed']) expect(await keys(`status=${status}`)).toEqual([]);
    const { data } = bodyOf(await listed(`idempotency_key=${encodeURIComponent(waiting.idempotency_key)}`), 200);
    expect(data).toEqual([bodyOf(await operator().get(`/v1/transfers/${data[0].transfer_id}`), 200)]);
    const first = bodyOf(await listed(`account_id=${a.id}&limit=2`), 200);
    await operator().post('/v1/transfers', order(a, b, '1'));
    const second = bodyOf(await listed(`account_id=${a.id}&limit=2&cursor=${first.cursor}`), 200);
    expect([...first.data, ...second.data].map(({ idempotency_key }) => idempotency_key)).toEqual(
      [waiting, rejected, settled].map(({ idempotency_key }) => idempotency_key),
    );
    expect(second).toMatchObject({ cursor: null, has_more: false });
  });

  test('GET /v1/transfers returns no transfer of another operator', async () => {
    const [a, b] = [await anAccount({ usdc: '5' }), await anAccount()];
    const { transfer_id, idempotency_key } = bodyOf(await pay(a, b, '1'), 200);
    for (const search of [`account_id=${a.id}`, `idempotency_key=${idempotency_key}`])
      expect(bodyOf(await stranger().get(`/v1/transfers?${search}`), 200).data).toEqual([]);
    expect((await stranger().get(`/v1/transfers/${transfer_id}`)).status).toBe(404);
  });

  test.each(['tr_00000000000000000000000000', 'tr_1', 'nonsense', 'acct_00000000000000000000000000', 'a%00b'])(
    'GET /v1/transfers/%s answers 404',
    async (id) => {
      const { status, body } = await operator().get(`/v1/transfers/${id}`);
      expect([status, body.error]).toEqual([404, 'not_found']);
    },
  );
});

describe('GET /v1/accounts filters by name', () => {
  const marker = randomUUID();
  const made: Record<string, string> = {};
  const list = async (name: string, more = ''): Promise<string[]> =>
    bodyOf(await operator().get(`/v1/accounts?name=${encodeURIComponent(name)}${more}`), 200).data.map(
      ({ account_id }: Body) => account_id,
    );
  beforeAll(async () => {
    for (const name of ['Agent One', 'agent two', 'Other', 'ÄPFEL_%', '50% off'])
      made[name] = bodyOf(await operator().post('/v1/accounts', { name: `${marker} ${name}` }), 201).account_id;
  });

  test('GET /v1/accounts finds names that begin with the text, whatever the case, newest first', async () => {
    expect(await list(`${marker} agent`)).toEqual([made['agent two'], made['Agent One']]);
    expect(await list(`${marker.toUpperCase()} AGENT T`)).toEqual([made['agent two']]);
    expect(await list(`${marker} äpfel`)).toEqual([made['ÄPFEL_%']]);
    expect(await list(`${marker} Other`)).toEqual([made.Other]);
    expect(await list(`${marker} Otherwise`)).toEqual([]);
    expect(await list('agent one')).not.toContain(made['Agent One']);
  });

  test('% and _ in a name stand for themselves', async () => {
    expect(await list(`${marker} 50%`)).toEqual([made['50% off']]);
    expect(await list(`${marker} %`)).toEqual([]);
    expect(await list(`${marker} äpfel__`)).toEqual([]);
  });

  test('the filter follows a new name, and combines with status and pages', async () => {
    bodyOf(await operator().patch(`/v1/accounts/${made.Other}`, { name: `${marker} Agent three` }), 200);
    expect(await list(`${marker} agent`)).toEqual([made.Other, made['agent two'], made['Agent One']]);
    expect(await list(`${marker} agent`, '&limit=1')).toEqual([made.Other]);
    await operator().put(`/v1/accounts/${made.Other}/policy`, { paused: true });
    expect(await list(`${marker} agent`, '&status=paused')).toEqual([made.Other]);
    expect(bodyOf(await stranger().get(`/v1/accounts?name=${marker}`), 200).data).toEqual([]);
  });

  test.each(['', 'x'.repeat(101)])('GET /v1/accounts rejects the name %j', async (name) =>
    expect(invalidFields(await operator().get(`/v1/accounts?name=${name}`))).toEqual(['name']),
  );
});
