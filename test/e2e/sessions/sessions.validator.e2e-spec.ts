import { randomUUID } from 'node:crypto';
import { eventually } from '../../support/eventually';
import { anOutsider, type Outsider } from '../../support/outsider';
import {
  anAccount,
  anAgent,
  balanceOf,
  chainBalance,
  eventsOf,
  everyRow,
  bodyOf,
  invalidFields,
  operator,
  pay,
  setPolicy,
  stranger,
  TIME,
  type TestAccount,
} from '../../support/world';
import type { Body } from '../../support/api';

jest.setTimeout(60_000);

const PROVIDER = 'https://api.example.com';
let payee: Outsider;
beforeAll(async () => void (payee = await anOutsider()));

const opening = (account: TestAccount, cap: string, more: Body = {}): Body => ({
  account_id: account.id,
  provider: PROVIDER,
  payee: payee.owner,
  cap,
  idempotency_key: randomUUID(),
  ...more,
});
const open = (account: TestAccount, cap: string, more: Body = {}, by = operator()) => by.post('/v1/sessions', opening(account, cap, more));
const spending = async ({ id }: TestAccount): Promise<Body> => bodyOf(await operator().get(`/v1/accounts/${id}/spending`), 200);
const reserved = async (account: TestAccount): Promise<string> => (await spending(account)).reserved_usdc;

test('a session reserves its cap, and closing it unused refunds the cap', async () => {
  const account = await anAccount({ usdc: '10', policy: { max_daily_spend: 8 } });
  const session = bodyOf(await open(account, '5', { category: 'data' }), 201);
  expect(session).toMatchObject({
    session_id: expect.stringMatching(/^sess_/),
    account_id: account.id,
    provider: PROVIDER,
    payee: payee.owner,
    category: 'data',
    cap_usdc: '5.000000',
    running_total_usdc: '0.000000',
    settled_usdc: '0.000000',
    returned_usdc: '0.000000',
    status: 'open',
    opened_at: expect.stringMatching(TIME),
    expires_at: expect.stringMatching(TIME),
    closed_at: null,
    tx_signature: expect.any(String),
  });
  expect(Date.parse(session.expires_at) - Date.parse(session.opened_at)).toBe(86_400_000);
  expect([await balanceOf(account), await reserved(account)]).toEqual(['5.000000', '5.000000']);
  expect((await pay(account, payee.tokenAccount, '4')).body).toMatchObject({
    rejection_reason: 'max_daily_spend',
    policy: { remaining_usdc: '3.000000', reserved_usdc: '5.000000' },
  });

  const closed = bodyOf(await operator().post(`/v1/sessions/${session.session_id}/close`), 200);
  expect(closed).toMatchObject({
    status: 'settled',
    settled_usdc: '0.000000',
    returned_usdc: '5.000000',
    closed_at: expect.stringMatching(TIME),
  });
  expect([await balanceOf(account), await reserved(account)]).toEqual(['10.000000', '0.000000']);
  expect(bodyOf(await operator().post(`/v1/sessions/${session.session_id}/close`), 200)).toEqual(closed);
  const sessionEvents = (await eventsOf(account)).filter(([type]) => type.startsWith('session.'));
  expect(sessionEvents).toEqual([
    [
      'session.opened',
      {
        session_id: session.session_id,
        account_id: account.id,
        cap_usdc: '5.000000',
        provider: PROVIDER,
        payee: payee.owner,
        tx_signature: session.tx_signature,
        expires_at: session.expires_at,
      },
    ],
    [
      'session.settled',
      {
        session_id: session.session_id,
        account_id: account.id,
        cap_usdc: '5.000000',
        settled_usdc: '0.000000',
        returned_usdc: '5.000000',
        tx_signature: closed.tx_signature,
        settled_at: closed.closed_at,
      },
    ],
  ]);
  // Neither the funding nor the refund is a deposit.
  await pay(account, payee.tokenAccount, '1');
  await eventually(async () =>
    expect((await everyRow(`/v1/accounts/${account.id}/transactions`)).map(({ type, amount_usdc }) => [type, amount_usdc])).toEqual(
      expect.arrayContaining([['deposit', '10.000000']]),
    ),
  );
  expect((await everyRow(`/v1/accounts/${account.id}/transactions`)).filter(({ type }) => type === 'deposit')).toHaveLength(1);
  expect((await everyRow(`/v1/accounts/${account.id}/transactions`)).find(({ type }) => type === 'session_settlement')).toMatchObject({
    amount_usdc: '0.000000',
    session_id: session.session_id,
    direction: 'out',
    status: 'settled',
  });
});

test('concurrent and repeated POST /v1/sessions with one idempotency key open one session', async () => {
  const account = await anAccount({ usdc: '10' });
  const given = opening(account, '2');
  const answers = await Promise.all(Array.from({ length: 5 }, () => operator().post('/v1/sessions', given)));
  expect(new Set(answers.map((answer) => bodyOf(answer, 201).session_id)).size).toBe(1);
  expect(await balanceOf(account)).toBe('8.000000');
  expect((await operator().post('/v1/sessions', { ...given, cap: '2.5' })).body.error).toBe('idempotency_conflict');
  // Idempotency keys of transfers are separate.
  expect((await pay(account, payee.tokenAccount, '1', { idempotency_key: given.idempotency_key })).status).toBe(200);
});

test('POST /v1/sessions and top_up enforce max_session_cap, at the limit and one over', async () => {
  const account = await anAccount({ usdc: '10', policy: { max_session_cap: 3, max_single_transfer: 1 } });
  expect(await open(account, '3.000001')).toMatchObject({
    status: 402,
    body: {
      error: 'policy_violation',
      rejection_reason: 'max_session_cap',
      policy: { rule: 'max_session_cap', limit_usdc: '3.000000', attempted_usdc: '3.000001' },
    },
  });
  const { session_id } = bodyOf(await open(account, '2'), 201);
  const topUp = (amount: string) => operator().post(`/v1/sessions/${session_id}/top_up`, { amount, idempotency_key: `top-up ${amount}` });
  expect(await topUp('1.000001')).toMatchObject({
    status: 402,
    body: { rejection_reason: 'max_session_cap', policy: { attempted_usdc: '3.000001' } },
  });
  bodyOf(await topUp('1'), 201);
});

test('POST /v1/sessions that violates a rule answers 402 with the rule and adds a history entry', async () => {
  const account = await anAccount({ usdc: '10', policy: { max_daily_spend: 5, categories: ['data'], max_single_transfer: 1 } });
  expect((await open(account, '5.000001', { category: 'data' })).body).toMatchObject({
    error: 'policy_violation',
    status: 'rejected',
    rejection_reason: 'max_daily_spend',
    session_id: expect.stringMatching(/^sess_/),
    policy: { attempted_usdc: '5.000001', limit_usdc: '5.000000' },
  });
  expect((await open(account, '5', { category: 'search' })).body.rejection_reason).toBe('categories');
  expect((await open(account, '5')).body.rejection_reason).toBe('categories');
  // max_single_transfer applies to payments, not to the cap.
  bodyOf(await open(account, '5', { category: 'data' }), 201);
  await setPolicy(account, { paused: true });
  expect((await open(account, '1', { category: 'data' })).body).toMatchObject({ error: 'account_paused', rejection_reason: 'paused' });
  expect(
    (await everyRow(`/v1/accounts/${account.id}/transactions?status=rejected`)).map(({ rejection_reason, session_id }) => [
      rejection_reason,
      typeof session_id,
    ]),
  ).toEqual([
    ['paused', 'string'],
    ['categories', 'string'],
    ['categories', 'string'],
    ['max_daily_spend', 'string'],
  ]);
  const poor = await anAccount({ usdc: '1' });
  expect((await open(poor, '1.000001')).body).toMatchObject({ error: 'insufficient_balance' });
});

test('POST /v1/sessions requires the payee among the counterparties, by token account or owner', async () => {
  const account = await anAccount({ usdc: '10', policy: { allowed_counterparties: [payee.tokenAccount] } });
  bodyOf(await open(account, '1'), 201);
  await setPolicy(account, { allowed_counterparties: [payee.owner] });
  bodyOf(await open(account, '1'), 201);
  await setPolicy(account, { allowed_counterparties: [] });
  expect((await open(account, '1')).body.rejection_reason).toBe('allowed_counterparties');
});

test('a cap at the threshold waits for an operator, who approves or denies it', async () => {
  const account = await anAccount({ usdc: '10', policy: { escalation_threshold: 3, max_daily_spend: 20 } });
  const agent = await anAgent(account);
  bodyOf(await open(account, '2.999999', {}, agent), 201);
  const given = opening(account, '3');
  const waiting = bodyOf(await agent.post('/v1/sessions', given), 202);
  expect(waiting).toMatchObject({
    status: 'pending_approval',
    approval: { required_by: 'operator', expires_at: expect.stringMatching(TIME) },
    opened_at: null,
    tx_signature: null,
  });
  expect(await reserved(account)).toBe('2.999999');
  expect((await agent.post(`/v1/sessions/${waiting.session_id}/approve`)).status).toBe(403);
  expect((await eventsOf(account)).at(-1)).toMatchObject([
    'escalation.required',
    { session_id: waiting.session_id, amount_usdc: '3.000000', threshold_usdc: '3.000000', to: payee.owner },
  ]);
  expect(bodyOf(await operator().post(`/v1/sessions/${waiting.session_id}/approve`), 201).status).toBe('open');
  expect((await operator().post(`/v1/sessions/${waiting.session_id}/approve`)).body).toMatchObject({ error: 'conflict', status: 'open' });
  expect(bodyOf(await agent.post('/v1/sessions', given), 201)).toMatchObject({ session_id: waiting.session_id, status: 'open' });

  const another = bodyOf(await open(account, '4'), 202);
  expect(bodyOf(await operator().post(`/v1/sessions/${another.session_id}/deny`, { reason: 'too much' }), 200)).toMatchObject({
    status: 'rejected',
    rejection_reason: 'denied',
  });
  expect((await operator().post(`/v1/sessions/${another.session_id}/close`)).body).toMatchObject({ error: 'conflict', status: 'rejected' });
});

test('a top-up raises the cap once per idempotency key, and the threshold applies to the new cap', async () => {
  const account = await anAccount({ usdc: '20', policy: { escalation_threshold: 5, max_daily_spend: 12 } });
  const { session_id: id } = bodyOf(await open(account, '2'), 201);
  const topUp = (amount: string, key: string = randomUUID()) =>
    operator().post(`/v1/sessions/${id}/top_up`, { amount, idempotency_key: key });
  const key = randomUUID();
  expect(bodyOf(await topUp('1', key), 201).cap_usdc).toBe('3.000000');
  expect(bodyOf(await topUp('1', key), 201).cap_usdc).toBe('3.000000');
  expect((await topUp('2', key)).body.error).toBe('idempotency_conflict');
  expect(bodyOf(await topUp('2'), 202)).toMatchObject({ status: 'pending_approval', cap_usdc: '3.000000' });
  expect(bodyOf(await operator().get(`/v1/sessions/${id}`), 200)).toMatchObject({ status: 'open', cap_usdc: '3.000000' });
  expect((await topUp('1')).body).toMatchObject({ error: 'conflict', status: 'pending_approval', session_id: id });
  expect(bodyOf(await operator().post(`/v1/sessions/${id}/approve`), 201)).toMatchObject({ status: 'open', cap_usdc: '5.000000' });
  expect((await topUp('7.000001')).body).toMatchObject({ rejection_reason: 'max_daily_spend', session_id: id });
  expect(await reserved(account)).toBe('5.000000');
  expect(bodyOf(await operator().post(`/v1/sessions/${id}/close`), 200)).toMatchObject({
    settled_usdc: '0.000000',
    returned_usdc: '5.000000',
    cap_usdc: '5.000000',
  });
  expect((await topUp('1')).body).toMatchObject({ error: 'conflict', status: 'settled' });
});

test('closing a session with a grace period answers 202 with the end', async () => {
  const account = await anAccount({ usdc: '10', policy: { max_daily_spend: 9 } });
  const { session_id: id } = bodyOf(await open(account, '2', { grace_seconds: 60 }), 201);
  expect(bodyOf(await operator().post(`/v1/sessions/${id}/close`), 202)).toMatchObject({ status: 'closing', returned_usdc: '0.000000' });
  expect(bodyOf(await operator().post(`/v1/sessions/${id}/close`), 202).status).toBe('closing');
  expect(await reserved(account)).toBe('2.000000');
});

test('POST /v1/sessions for a payee that cannot be paid answers 422 and leaves the idempotency key unused', async () => {
  const account = await anAccount({ usdc: '10' });
  const other = await anAccount();
  const given = opening(account, '1', { payee: payee.tokenAccount });
  expect((await operator().post('/v1/sessions', given)).body).toMatchObject({ error: 'invalid_recipient' });
  expect((await operator().post('/v1/sessions', { ...given, payee: account.address })).body.error).toBe('invalid_recipient');
  for (const address of ['1'.repeat(32), 'SysvarC1ock11111111111111111111111111111111', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA']) {
    expect([address, (await operator().post('/v1/sessions', { ...given, payee: address })).body.error]).toEqual([
      address,
      'invalid_recipient',
    ]);
  }
  bodyOf(await operator().post('/v1/sessions', { ...given, payee: other.address }), 201);
});

test('sessions are accessible to agents of the account and to its operator only', async () => {
  const [account, other] = [await anAccount({ usdc: '5' }), await anAccount({ usdc: '5' })];
  const agent = await anAgent(account);
  const { session_id: id } = bodyOf(await open(account, '1', {}, agent), 201);
  const hidden = bodyOf(await open(other, '1'), 201).session_id;
  expect((await open(other, '1', {}, agent)).status).toBe(403);
  expect([
    (await agent.get(`/v1/sessions/${id}`)).status,
    (await agent.get(`/v1/sessions/${hidden}`)).status,
    (await stranger().get(`/v1/sessions/${id}`)).status,
  ]).toEqual([200, 404, 404]);
  expect((await stranger().post(`/v1/sessions/${id}/close`)).status).toBe(404);
  expect((await stranger().post('/v1/sessions', opening(account, '1'))).status).toBe(404);
  expect((await everyRow('/v1/sessions', agent)).map(({ session_id }) => session_id)).toEqual([id]);
  expect((await everyRow(`/v1/sessions?account_id=${other.id}`)).map(({ session_id }) => session_id)).toEqual([hidden]);
  bodyOf(await agent.post(`/v1/sessions/${id}/close`), 200);
  expect(await everyRow(`/v1/sessions?account_id=${account.id}&status=open`)).toEqual([]);
  expect((await everyRow(`/v1/sessions?account_id=${account.id}&status=settled`)).map(({ session_id }) => session_id)).toEqual([id]);
});

test.each<[string, Body]>([
  ['provider', { provider: 'http://api.example.com' }],
  ['provider', { provider: 'https://api.example.com/path' }],
  ['provider', { provider: 'https://me:secret@api.example.com' }],
  ['provider', { provider: 'ftp://api.example.com' }],
  ['payee', { payee: 'somebody' }],
  ['cap', { cap: '0' }],
  ['cap', { cap: 5 }],
  ['cap', { cap: '1.0000001' }],
  ['expires_in_seconds', { expires_in_seconds: 59 }],
  ['expires_in_seconds', { expires_in_seconds: 2_592_001 }],
  ['expires_in_seconds', { expires_in_seconds: 60.5 }],
  ['grace_seconds', { grace_seconds: -1 }],
  ['grace_seconds', { grace_seconds: 86_401 }],
  ['category', { category: 'No Spaces' }],
  ['idempotency_key', { idempotency_key: 'x'.repeat(129) }],
  ['idempotency_key', { idempotency_key: undefined }],
  ['surprise', { surprise: true }],
])('POST /v1/sessions answers 400 for an invalid %s and names it: %j', async (field, change) => {
  const account = await sharedAccount();
  expect(invalidFields(await operator().post('/v1/sessions', { ...opening(account, '1'), ...change }))).toEqual([field]);
});

test.each([60, 2_592_000])('POST /v1/sessions accepts expires_in_seconds of %i', async (seconds) => {
  const account = await anAccount({ usdc: '1' });
  const session = bodyOf(await open(account, '1', { expires_in_seconds: seconds, grace_seconds: 0 }), 201);
  expect(Date.parse(session.expires_at) - Date.parse(session.opened_at)).toBe(seconds * 1000);
  expect(await chainBalance(account.tokenAccount)).toBe(0n);
});

let account: TestAccount | undefined;
async function sharedAccount(): Promise<TestAccount> {
  return (account ??= await anAccount());
}
