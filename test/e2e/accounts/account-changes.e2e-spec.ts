import { randomUUID } from 'node:crypto';
import { anAccount, anAgent, bodyOf, invalidFields, operator, pay, stranger, type TestAccount } from '../../support/world';

const UNKNOWN = 'acct_00000000000000000000000000';
const patch = ({ id }: { id: string }, change: object) => operator().patch(`/v1/accounts/${id}`, change);
const shown = async ({ id }: TestAccount) => bodyOf(await operator().get(`/v1/accounts/${id}`), 200);

describe('PATCH /v1/accounts/:id', () => {
  let account: TestAccount;
  beforeEach(async () => void (account = await anAccount()));

  test('PATCH /v1/accounts/:id renames an account, and its handle and everything else stay', async () => {
    const before = await shown(account);
    expect(bodyOf(await patch(account, { name: '  Ünïcode 🤖 ' }), 200)).toEqual({ ...before, name: 'Ünïcode 🤖' });
    expect(await shown(account)).toEqual({ ...before, name: 'Ünïcode 🤖' });
  });

  test('PATCH /v1/accounts/:id sets keys of the metadata, removes those that are null, and keeps the others', async () => {
    bodyOf(await patch(account, { metadata: { team: 'a', cost: { centre: 7 }, old: true } }), 200);
    expect(bodyOf(await patch(account, { metadata: { team: 'b', old: null, absent: null } }), 200).metadata).toEqual({
      team: 'b',
      cost: { centre: 7 },
    });
    expect((await shown(account)).metadata).toEqual({ team: 'b', cost: { centre: 7 } });
    expect(bodyOf(await patch(account, { metadata: null }), 200).metadata).toEqual({});
  });

  test('PATCH /v1/accounts/:id changes nothing with an empty body', async () => {
    const before = await shown(account);
    expect(bodyOf(await patch(account, {}), 200)).toEqual(before);
  });

  test('PATCH /v1/accounts/:id preserves concurrent changes of other keys', async () => {
    const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
    for (const answer of await Promise.all(keys.map((key) => patch(account, { metadata: { [key]: 1 } })))) bodyOf(answer, 200);
    expect(Object.keys((await shown(account)).metadata).sort()).toEqual([...keys].sort());
  });

  test('PATCH /v1/accounts/:id allows 50 keys of metadata in all, and not 51', async () => {
    const keys = (from: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${from + index}`, 'v']));
    bodyOf(await patch(account, { metadata: keys(0, 49) }), 200);
    bodyOf(await patch(account, { metadata: keys(49, 1) }), 200);
    expect(invalidFields(await patch(account, { metadata: keys(50, 1) }))).toEqual(['metadata']);
    bodyOf(await patch(account, { metadata: { k0: null, ...keys(50, 1) } }), 200);
    expect(Object.keys((await shown(account)).metadata)).toHaveLength(50);
  });

  test.each<[object, string]>([
    [{ name: '' }, 'name'],
    [{ name: '   ' }, 'name'],
    [{ name: null }, 'name'],
    [{ name: 7 }, 'name'],
    [{ name: 'a'.repeat(101) }, 'name'],
    [{ name: 'a\u0000' }, 'name'],
    [{ metadata: [] }, 'metadata'],
    [{ metadata: 'x' }, 'metadata'],
    [{ metadata: { [`k${'x'.repeat(40)}`]: 1 } }, `metadata.k${'x'.repeat(40)}`],
    [{ metadata: { a: 'x'.repeat(501) } }, 'metadata.a'],
    [{ handle: 'mine' }, 'handle'],
    [{ status: 'paused' }, 'status'],
  ])('PATCH /v1/accounts/:id rejects %j and names the field', async (change, field) =>
    expect(invalidFields(await patch(account, change))).toEqual([field]),
  );

  test('PATCH /v1/accounts/:id takes a name of 100 code points, a key of 40 and a value of 500', async () => {
    const change = { name: '😀'.repeat(100), metadata: { [`${'k'.repeat(40)}`]: 'x'.repeat(500) } };
    expect(bodyOf(await patch(account, change), 200)).toMatchObject(change);
  });

  test('PATCH /v1/accounts/:id answers 404 for an unknown account and for another operator’s, and 403 to an agent', async () => {
    const theirs = await anAccount({ by: stranger() });
    expect((await patch({ id: UNKNOWN }, { name: 'a' })).status).toBe(404);
    expect((await patch(theirs, { name: 'a' })).status).toBe(404);
    const agent = await anAgent(account);
    expect((await agent.patch(`/v1/accounts/${account.id}`, { name: 'a' })).status).toBe(403);
  });

  test('a replayed creation answers as the first did after the account was changed', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const wanted = { name: 'first', metadata: { a: 1 } };
    const first = bodyOf(await operator().post('/v1/accounts', wanted, headers), 201);
    bodyOf(await patch({ id: first.account_id }, { name: 'second', metadata: { a: 2, b: 3 } }), 200);
    expect(bodyOf(await operator().post('/v1/accounts', wanted, headers), 201)).toEqual(first);
  });
});

describe('a handle as the recipient of a transfer', () => {
  test('a transfer to a handle of the same operator pays that account and echoes the handle', async () => {
    const [a, b] = [await anAccount({ usdc: '5' }), await anAccount()];
    expect(bodyOf(await pay(a, b.handle, '1.5'), 200)).toMatchObject({ status: 'settled', to: b.handle, amount_usdc: '1.500000' });
    expect((await shown(b)).balance_usdc).toBe('1.500000');
    const [record] = bodyOf(await operator().get(`/v1/accounts/${b.id}/transactions`), 200).data;
    expect(record).toMatchObject({ type: 'transfer', direction: 'in', counterparty: a.id });
  });

  test('a transfer to a handle is checked against a policy that lists the account', async () => {
    const [a, b, c] = [await anAccount({ usdc: '5' }), await anAccount(), await anAccount()];
    bodyOf(await operator().put(`/v1/accounts/${a.id}/policy`, { allowed_counterparties: [b.id] }), 200);
    bodyOf(await pay(a, b.handle, '1'), 200);
    expect(bodyOf(await pay(a, c.handle, '1'), 402).rejection_reason).toBe('allowed_counterparties');
  });

  test('an account closes into the account with a handle of the same operator', async () => {
    const [a, b, theirs] = [await anAccount({ usdc: '5' }), await anAccount(), await anAccount({ by: stranger() })];
    expect((await operator().post(`/v1/accounts/${a.id}/close`, { destination: theirs.handle })).status).toBe(422);
    expect(bodyOf(await operator().post(`/v1/accounts/${a.id}/close`, { destination: b.handle }), 200).status).toBe('closed');
    expect((await shown(b)).balance_usdc).toBe('5.000000');
  });

  test('a transfer to another operator’s handle, to an unknown one or to the payer’s own is 422', async () => {
    const [a, theirs] = [await anAccount({ usdc: '5' }), await anAccount({ by: stranger() })];
    for (const to of [theirs.handle, 'nobody-abcdef', a.handle, a.handle.toUpperCase()])
      expect([to, bodyOf(await pay(a, to, '1'), 422).error]).toEqual([to, 'invalid_recipient']);
  });
});
