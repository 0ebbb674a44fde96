import { randomUUID } from 'node:crypto';
import type { Body } from '../../support/api';
import { aTokenAccountOf } from '../../support/tokens';
import {
  anAccount,
  anAgent,
  bodyOf,
  eventsOf,
  invalidFields,
  operator,
  order,
  pay,
  setPolicy,
  stranger,
  TIME,
  type TestAccount,
} from '../../support/world';
import { anOutsider } from '../../support/outsider';

const given = { reference: 'invoice 2026/7', metadata: { team: 'search', lines: [1, { sku: 'a' }] } };
const records = async ({ id }: TestAccount, by = operator()): Promise<Body[]> =>
  bodyOf(await by.get(`/v1/accounts/${id}/transactions`), 200).data.filter(({ type }: Body) => type !== 'deposit');
const shownIn = ({ reference, metadata }: Body) => ({ reference, metadata });

describe('reference and metadata of a transfer', () => {
  test('are echoed by the transfer, its lists, its events and the records of both accounts', async () => {
    const [a, b] = [await anAccount({ usdc: '5' }), await anAccount()];
    const transfer = bodyOf(await pay(a, b, '1', given), 200);
    const [listed] = bodyOf(await operator().get(`/v1/transfers?account_id=${a.id}`), 200).data;
    for (const view of [transfer, listed, bodyOf(await operator().get(`/v1/transfers/${transfer.transfer_id}`), 200)])
      expect(shownIn(view)).toEqual(given);
    for (const account of [a, b]) expect((await records(account))[0]).toMatchObject({ ...given, transfer_id: transfer.transfer_id });
    expect((await eventsOf(a)).filter(([type]) => type.startsWith('transfer.')).map(([type, data]) => [type, shownIn(data)])).toEqual([
      ['transfer.initiated', given],
      ['transfer.settled', given],
    ]);
  });

  test('are echoed by a rejection and its record', async () => {
    const [a, b] = [await anAccount({ usdc: '5', policy: { max_single_transfer: 1 } }), await anAccount()];
    const { transfer_id } = bodyOf(await pay(a, b, '2', given), 402);
    expect(shownIn(bodyOf(await operator().get(`/v1/transfers/${transfer_id}`), 200))).toEqual(given);
    expect((await records(a))[0]).toMatchObject({ ...given, type: 'rejection', transfer_id });
    expect(shownIn((await eventsOf(a)).find(([type]) => type === 'transfer.rejected')?.[1])).toEqual(given);
  });

  test('are not compared by a replay, which keeps the first ones', async () => {
    const [a, b] = [await anAccount({ usdc: '5' }), await anAccount()];
    const first = order(a, b, '1', given);
    const transfer = bodyOf(await operator().post('/v1/transfers', first), 200);
    for (const other of [
      { reference: 'other', metadata: { x: 1 } },
      { reference: undefined, metadata: undefined },
    ]) {
      const replay = await operator().post('/v1/transfers', { ...first, ...other });
      expect(bodyOf(replay, 200)).toEqual(transfer);
      expect(replay.headers.get('Idempotent-Replayed')).toBe('true');
    }
  });

  test('are absent where none was given', async () => {
    const [a, b] = [await anAccount({ usdc: '5' }), await anAccount()];
    const transfer = bodyOf(await pay(a, b, '1'), 200);
    expect([Object.hasOwn(transfer, 'reference'), Object.hasOwn(transfer, 'metadata')]).toEqual([false, false]);
    expect(shownIn((await records(a))[0])).toEqual({ reference: null, metadata: {} });
  });

  test('another operator that is paid sees neither them nor the transfer', async () => {
    const [a, theirs] = [await anAccount({ usdc: '5' }), await anAccount({ by: stranger() })];
    const { transfer_id } = bodyOf(await pay(a, theirs.tokenAccount, '1', given), 200);
    expect((await records(a))[0]).toMatchObject({ ...given, transfer_id });
    const [received] = await records(theirs, stranger());
    expect(received).toMatchObject({ direction: 'in', amount_usdc: '1.000000', transfer_id: null, reference: null, metadata: {} });
  });

  test('a record of a transfer to the token account of an own account names the transfer on both sides', async () => {
    const [a, b] = [await anAccount({ usdc: '5' }), await anAccount()];
    const { transfer_id } = bodyOf(await pay(a, b.tokenAccount, '1', given), 200);
    for (const account of [a, b]) expect((await records(account))[0]).toMatchObject({ ...given, transfer_id });
  });
});

describe('bounds of reference and metadata', () => {
  let a: TestAccount;
  let to: string;
  beforeAll(async () => void ([a, to] = [await anAccount({ usdc: '5' }), await aTokenAccountOf()]));

  test('a reference of 128 code points, a key of 40 and a value of 500 are accepted', async () => {
    const most = { reference: '😀'.repeat(128), metadata: { [`${'k'.repeat(40)}`]: 'v'.repeat(500) } };
    expect(bodyOf(await pay(a, to, '0.1', most), 200)).toMatchObject(most);
  });

  test.each<[Body, string]>([
    [{ reference: '😀'.repeat(129) }, 'reference'],
    [{ reference: 7 }, 'reference'],
    [{ reference: null }, 'reference'],
    [{ reference: 'a\u0000' }, 'reference'],
    [{ metadata: [] }, 'metadata'],
    [{ metadata: null }, 'metadata'],
    [{ metadata: 'x' }, 'metadata'],
    [{ metadata: { a: 'x'.repeat(501) } }, 'metadata.a'],
    [{ metadata: { [`${'k'.repeat(41)}`]: 1 } }, `metadata.${'k'.repeat(41)}`],
    [{ metadata: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 1])) }, 'metadata'],
  ])('transfers, sessions, purses and payments reject %j and name the field', async (more, field) => {
    const common = { account_id: a.id, idempotency_key: randomUUID(), ...more };
    const request = { method: 'GET', url: 'https://api.example.com/' };
    for (const answer of [
      await pay(a, to, '1', more),
      await operator().post('/v1/sessions', { ...common, provider: 'https://api.example.com', payee: a.address, cap: '1' }),
      await operator().post('/v1/purses', { ...common, amount: '1' }),
      await operator().post('/v1/payments', { ...common, max_amount: '1', request }),
      await operator().post('/v1/payments/authorize', { ...common, max_amount: '1', url: request.url, challenges: ['x'] }),
    ])
      expect(invalidFields(answer)).toEqual([field]);
  });
});

describe('reference and metadata of sessions and purses', () => {
  const session = ({ id }: TestAccount, payee: string, more: Body = {}) =>
    operator().post('/v1/sessions', {
      account_id: id,
      provider: 'https://api.example.com',
      payee,
      cap: '1',
      idempotency_key: randomUUID(),
      ...given,
      ...more,
    });

  test('are echoed by a session, its list, its events and the record of its settlement', async () => {
    const [a, { owner: payee }] = [await anAccount({ usdc: '5' }), await anOutsider()];
    const opened = bodyOf(await session(a, payee), 201);
    expect(shownIn(opened)).toEqual(given);
    expect(shownIn(bodyOf(await operator().get(`/v1/sessions?account_id=${a.id}`), 200).data[0])).toEqual(given);
    expect(shownIn(bodyOf(await operator().post(`/v1/sessions/${opened.session_id}/close`), 200))).toEqual(given);
    expect((await records(a))[0]).toMatchObject({ ...given, type: 'session_settlement', provider: 'https://api.example.com' });
    const events = (await eventsOf(a)).filter(([type]) => type.startsWith('session.'));
    expect(events.map(([type, data]) => [type, shownIn(data)])).toEqual([
      ['session.opened', given],
      ['session.settled', given],
    ]);
  });

  test('are echoed by a declined session’s record, which names the provider', async () => {
    const [a, { owner: payee }] = [await anAccount({ usdc: '5', policy: { max_daily_spend: 0.5 } }), await anOutsider()];
    const { session_id } = bodyOf(await session(a, payee), 402);
    expect((await records(a))[0]).toMatchObject({ ...given, type: 'rejection', session_id, provider: 'https://api.example.com' });
  });

  test('of a session are not compared by a replay, which keeps the first ones', async () => {
    const [a, { owner: payee }] = [await anAccount({ usdc: '5' }), await anOutsider()];
    const idempotency_key = randomUUID();
    const opened = bodyOf(await session(a, payee, { idempotency_key }), 201);
    expect(bodyOf(await session(a, payee, { idempotency_key, reference: 'other', metadata: {} }), 201)).toEqual(opened);
  });

  test('are echoed by a purse, its list and its events', async () => {
    const a = await anAccount({ usdc: '5' });
    const purse = bodyOf(
      await operator().post('/v1/purses', { account_id: a.id, amount: '1', idempotency_key: randomUUID(), ...given }),
      201,
    );
    expect(shownIn(purse)).toEqual(given);
    expect(shownIn(bodyOf(await operator().get(`/v1/purses?account_id=${a.id}`), 200).data[0])).toEqual(given);
    expect(shownIn(bodyOf(await operator().post(`/v1/purses/${purse.purse_id}/close`), 200))).toEqual(given);
    const events = (await eventsOf(a)).filter(([type]) => type.startsWith('purse.'));
    expect(events.map(([, data]) => shownIn(data))).toEqual([given, given]);
  });
});

describe('created_by and approved_by of a transfer', () => {
  test('a transfer names the key that placed it', async () => {
    const [a, b] = [await anAccount({ usdc: '5' }), await anAccount()];
    const agent = await anAgent(a);
    const { key_id } = bodyOf(await agent.get('/v1/me'), 200);
    const transfer = bodyOf(await agent.post('/v1/transfers', order(a, b, '1')), 200);
    expect(transfer.created_by).toBe(key_id);
    expect([Object.hasOwn(transfer, 'approved_by'), Object.hasOwn(transfer, 'approved_at')]).toEqual([false, false]);
    expect(bodyOf(await operator().get(`/v1/transfers/${transfer.transfer_id}`), 200).created_by).toBe(key_id);
  });

  test('an approved transfer names the key that approved it, and when', async () => {
    const [a, b] = [await anAccount({ usdc: '5', policy: { escalation_threshold: 1 } }), await anAccount()];
    const waiting = bodyOf(await (await anAgent(a)).post('/v1/transfers', order(a, b, '2')), 202);
    expect(Object.hasOwn(waiting, 'approved_by')).toBe(false);
    const approved = bodyOf(await operator().post(`/v1/transfers/${waiting.transfer_id}/approve`), 200);
    const { key_id } = bodyOf(await operator().get('/v1/me'), 200);
    expect(approved).toMatchObject({ created_by: waiting.created_by, approved_by: key_id, approved_at: expect.stringMatching(TIME) });
    expect(approved.created_by).not.toBe(key_id);
  });

  test('a denied transfer names no key that approved it, and one that a rule declines after its approval does', async () => {
    const [a, b] = [await anAccount({ usdc: '5', policy: { escalation_threshold: 1 } }), await anAccount()];
    const [one, other] = [bodyOf(await pay(a, b, '2'), 202), bodyOf(await pay(a, b, '2'), 202)];
    expect(Object.hasOwn(bodyOf(await operator().post(`/v1/transfers/${one.transfer_id}/deny`), 200), 'approved_by')).toBe(false);
    await setPolicy(a, { max_single_transfer: 1 });
    bodyOf(await operator().post(`/v1/transfers/${other.transfer_id}/approve`), 402);
    expect(bodyOf(await operator().get(`/v1/transfers/${other.transfer_id}`), 200)).toMatchObject({
      status: 'rejected',
      approved_by: expect.stringMatching(/^key_/),
    });
  });
});
