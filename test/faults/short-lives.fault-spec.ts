import { api, type Answer, type Api } from '../support/api';
import { eventually } from '../support/eventually';
import { startBeside } from '../support/operators';
import { sharedService, type Service } from '../support/service';
import { anAccount, balanceOf, chainBalance, eventsOf, bodyOf, order, query, setPolicy, countByStatus } from '../support/world';

jest.setTimeout(60_000);

/** Longer than a slow machine takes for twenty requests. */
const KEY_SECONDS = 4;
const APPROVAL_SECONDS = 1;

describe('a service with lifetimes of seconds for idempotency keys and approvals', () => {
  let service: Service;
  let operator: Api;
  beforeAll(async () => {
    service = await startBeside(sharedService(), {
      variables: { IDEMPOTENCY_TTL_SECONDS: `${KEY_SECONDS}`, APPROVAL_TTL_SECONDS: `${APPROVAL_SECONDS}`, WORKER: 'apart' },
    });
    operator = api(service.baseUrl, service.operatorKey);
  });
  afterAll(() => service.stop());
  const send = (body: unknown) => operator.post('/v1/transfers', body);

  test('an idempotency key is kept for its lifetime after settlement, despite retries, and can then be used for any order', async () => {
    const [a, b] = [await anAccount({ usdc: '10' }), await anAccount()];
    const given = order(a, b, '1');
    const first = bodyOf(await send(given), 200);
    const freeAt = Date.parse(first.settled_at) + KEY_SECONDS * 1000;
    const second = await eventually(async () => {
      const again = await send(given);
      if (again.body.transfer_id !== first.transfer_id) return bodyOf(again, 200);
      return bodyOf(await send({ ...given, amount: '2' }), 200);
    });
    expect(second.transfer_id).not.toBe(first.transfer_id);
    expect(Date.parse(second.created_at)).toBeGreaterThanOrEqual(freeAt);
    expect(bodyOf(await operator.get(`/v1/transfers/${first.transfer_id}`), 200)).toEqual(first);
    expect(bodyOf(await operator.get(`/v1/transfers?idempotency_key=${given.idempotency_key}`), 200).data).toEqual([second, first]);
  });

  test('at the moment at which a key expires, twenty concurrent equal requests make one new transfer', async () => {
    const [a, b] = [await anAccount({ usdc: '1000' }), await anAccount()];
    const given = order(a, b, '1');
    const first = bodyOf(await send(given), 200);
    const answers: Answer[] = [];
    const isStillFirst = (): boolean => answers.every(({ body }) => body.transfer_id === first.transfer_id);
    for (const giveUpAt = Date.now() + 30_000; isStillFirst() && Date.now() < giveUpAt; )
      answers.push(...(await Promise.all(Array.from({ length: 20 }, () => send(given)))));
    expect(countByStatus(answers)).toEqual({ 200: answers.length });
    expect(new Set(answers.map(({ body }) => body.transfer_id)).size).toBe(2);
    expect(await balanceOf(b)).toBe('2.000000');
    expect(await query('SELECT id FROM orders WHERE account_id = $1', [a.id])).toHaveLength(2);
  });

  test('a rejection’s key expires too, and the order is then checked again', async () => {
    const [a, b] = [await anAccount({ usdc: '10', policy: { max_single_transfer: 1 } }), await anAccount()];
    const given = order(a, b, '2');
    const { transfer_id } = bodyOf(await send(given), 402);
    await setPolicy(a, { max_single_transfer: null });
    const settled = await eventually(async () => bodyOf(await send(given), 200));
    expect(settled.transfer_id).not.toBe(transfer_id);
  });

  test('the key of an account creation expires', async () => {
    const headers = { 'Idempotency-Key': `creation ${Date.now()}` };
    const first = bodyOf(await operator.post('/v1/accounts', { name: 'a' }, headers), 201);
    bodyOf(await operator.post('/v1/accounts', { name: 'b' }, headers), 409);
    const other = await eventually(async () => bodyOf(await operator.post('/v1/accounts', { name: 'b' }, headers), 201));
    expect(other.account_id).not.toBe(first.account_id);
  });

  test('an approval that expires rejects the transfer; a later approval has no effect, and there is one event', async () => {
    const [a, b] = [await anAccount({ usdc: '10', policy: { escalation_threshold: 1 } }), await anAccount()];
    const given = order(a, b, '2');
    const { transfer_id, approval, created_at } = bodyOf(await send(given), 202);
    expect(Math.abs(Date.parse(approval.expires_at) - Date.parse(created_at) - APPROVAL_SECONDS * 1000)).toBeLessThan(5_000);
    await eventually(() => expect(Date.now()).toBeGreaterThan(Date.parse(approval.expires_at)));
    const late = await Promise.all(
      Array.from({ length: 6 }, (_, index) => operator.post(`/v1/transfers/${transfer_id}/${index % 2 ? 'approve' : 'deny'}`)),
    );
    for (const { body } of late) expect(body).toMatchObject({ error: 'conflict', status: 'rejected' });
    expect((await send(given)).body).toMatchObject({
      error: 'policy_violation',
      transfer_id,
      status: 'rejected',
      rejection_reason: 'approval_expired',
    });
    expect((await eventsOf(a)).map(([type, data]) => [type, data.rejection_reason])).toEqual([
      ['escalation.required', undefined],
      ['transfer.rejected', 'approval_expired'],
    ]);
    expect(await balanceOf(b)).toBe('0.000000');
  });

  test('a pending transfer expires without any request', async () => {
    const [a, b] = [await anAccount({ usdc: '10', policy: { escalation_threshold: 1 } }), await anAccount()];
    const { transfer_id } = bodyOf(await send(order(a, b, '2')), 202);
    await eventually(async () =>
      expect(await query('SELECT status, rejection_reason FROM orders WHERE id = $1', [transfer_id])).toEqual([
        { status: 'rejected', rejection_reason: 'approval_expired' },
      ]),
    );
  });
});

describe('a service that does not wait for settlement', () => {
  let service: Service;
  let operator: Api;
  beforeAll(async () => {
    service = await startBeside(sharedService(), { variables: { SETTLEMENT_WAIT_MS: '0' } });
    operator = api(service.baseUrl, service.operatorKey);
  });
  afterAll(() => service.stop());

  test('a transfer answers 202 with what to do, and settles by itself', async () => {
    const [a, b] = [await anAccount({ usdc: '10' }), await anAccount()];
    const given = order(a, b, '1.5', { memo: 'm' });
    const { status, body } = await operator.post('/v1/transfers', given);
    expect(status).toBe(202);
    expect(body).toMatchObject({
      transfer_id: expect.stringMatching(/^tr_/),
      status: 'submitted',
      from: a.id,
      to: b.id,
      amount_usdc: '1.500000',
      memo: 'm',
      idempotency_key: given.idempotency_key,
      message: expect.stringMatching(/poll.*same key/),
    });
    expect(body).not.toHaveProperty('settled_at');
    const settled = await eventually(async () => {
      const { body: shown } = await operator.get(`/v1/transfers/${body.transfer_id}`);
      expect(shown.status).toBe('settled');
      return shown;
    });
    expect(settled).not.toHaveProperty('message');
    const again = await operator.post('/v1/transfers', given);
    expect([again.status, again.headers.get('Idempotent-Replayed'), again.body]).toEqual([200, 'true', settled]);
    expect(await chainBalance(b.tokenAccount)).toBe(1_500_000n);
  });

  test('a policy violation is answered at once without waiting for settlement', async () => {
    const [a, b] = [await anAccount({ usdc: '1', policy: { max_single_transfer: 0.5 } }), await anAccount()];
    expect((await operator.post('/v1/transfers', order(a, b, '0.6'))).body).toMatchObject({
      error: 'policy_violation',
      rejection_reason: 'max_single_transfer',
    });
    expect((await operator.post('/v1/transfers', order(b, a, '1'))).body.error).toBe('insufficient_balance');
    expect((await operator.post('/v1/transfers', order(a, a, '0.1'))).status).toBe(422);
  });

  test('of fifty concurrent transfers, as many settle by themselves as fit into the limit', async () => {
    const [a, b] = [await anAccount({ usdc: '100', policy: { max_daily_spend: 20 } }), await anAccount()];
    const answers = await Promise.all(Array.from({ length: 50 }, () => operator.post('/v1/transfers', order(a, b, '1'))));
    expect(Object.keys(countByStatus(answers)).every((status) => status === '202' || status === '402')).toBe(true);
    await eventually(
      async () => {
        const rows = await query(
          `SELECT status, count(*)::int AS count FROM orders WHERE account_id = $1 GROUP BY status ORDER BY status`,
          [a.id],
        );
        expect(rows).toEqual([
          { status: 'rejected', count: 30 },
          { status: 'settled', count: 20 },
        ]);
      },
      { timeoutMs: 30_000 },
    );
    expect(await chainBalance(b.tokenAccount)).toBe(20_000_000n);
  });
});
