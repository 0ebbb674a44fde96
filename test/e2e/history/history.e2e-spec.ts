import { aTokenAccountOf } from '../../support/tokens';
import {
  TIME,
  anAccount,
  anAgent,
  eventsOf,
  everyRow,
  bodyOf,
  invalidFields,
  operator,
  pay,
  setPolicy,
  stranger,
  entriesOf,
  type TestAccount,
} from '../../support/world';
import type { Body } from '../../support/api';

const history = ({ id }: TestAccount, search = '') => operator().get(`/v1/accounts/${id}/transactions?${search}`);
const ids = (rows: Body[]): string[] => rows.map(({ id }) => id);
/** A transfer that left an account, as its history shows it. */
const anEntry = (members: Body): Body => ({
  id: expect.stringMatching(/^txn_/),
  direction: 'out',
  tx_signature: null,
  chain_explorer_url: null,
  rejection_reason: null,
  payment_id: null,
  session_id: null,
  purse_id: null,
  provider: null,
  reference: null,
  metadata: {},
  created_at: expect.stringMatching(TIME),
  settled_at: null,
  ...members,
});

describe('GET /v1/accounts/:id/history with invalid parameters', () => {
  let account: TestAccount;
  beforeAll(async () => void (account = await anAccount()));
  test.each([
    ...['0', '101', '-1', '1.5', 'ten', ''].map((value) => `limit=${value}`),
    ...['', 'x', '%00', Buffer.from('tr_00000000000000000000000000').toString('base64url')].map((value) => `cursor=${value}`),
    ...['', 'pending', 'SETTLED', 'settled&status=all'].map((value) => `status=${value}`),
    ...[
      '',
      'yesterday',
      '2026',
      '2026-02-30T00:00:00Z',
      '2026-01-01',
      '2026-01-01T00:00:00',
      '1767225600',
      '2026-01-01T25:00:00Z',
      '2026-13-01T00:00:00Z',
    ].map((value) => `since=${value}`),
    ...['', 'TRANSFER', 'payment'].map((value) => `type=${value}`),
    ...['', 'tomorrow', '2026-02-30T00:00:00Z'].map((value) => `until=${value}`),
    'account_id=acct_1',
  ])('GET /v1/accounts/:id/history rejects %s and names the parameter', async (search) =>
    expect(invalidFields(await history(account, search))).toEqual([search.split('=')[0]]),
  );
});

describe('GET /v1/accounts/:id/history', () => {
  test('a settled transfer is in the history of both accounts, with every member', async () => {
    const [a, b] = [await anAccount({ usdc: '5' }), await anAccount()];
    const transfer = bodyOf(await pay(a, b, '1.5', { memo: 'for data', category: 'data' }), 200);
    const [out] = await entriesOf(a);
    expect(out).toEqual(
      anEntry({
        account_id: a.id,
        type: 'transfer',
        status: 'settled',
        amount_usdc: '1.500000',
        counterparty: b.id,
        memo: 'for data',
        category: 'data',
        tx_signature: transfer.tx_signature,
        chain_explorer_url: transfer.chain_explorer_url,
        transfer_id: transfer.transfer_id,
        settled_at: transfer.settled_at,
      }),
    );
    expect(await entriesOf(b)).toEqual([
      { ...out, id: expect.stringMatching(/^txn_/), account_id: b.id, direction: 'in', counterparty: a.id },
    ]);
  });

  test('a transfer to a recipient outside the service has one entry, which names the recipient as it was given', async () => {
    const [a, b, theirs, outside] = [
      await anAccount({ usdc: '5' }),
      await anAccount(),
      await anAccount({ by: stranger() }),
      await aTokenAccountOf(),
    ];
    for (const to of [b.tokenAccount, theirs.tokenAccount, outside]) bodyOf(await pay(a, to, '1'), 200);
    expect((await entriesOf(a)).map(({ counterparty, memo, category }) => [counterparty, memo, category])).toEqual(
      [outside, theirs.tokenAccount, b.tokenAccount].map((to) => [to, null, null]),
    );
    expect((await entriesOf(b)).map(({ direction, counterparty }) => [direction, counterparty])).toEqual([['in', a.id]]);
    expect((await everyRow(`/v1/accounts/${theirs.id}/transactions`, stranger())).filter(({ type }) => type === 'transfer')).toMatchObject([
      { direction: 'in', counterparty: a.id },
    ]);
  });

  test('a rejected transfer is in the payer’s history only', async () => {
    const [a, b] = [await anAccount({ usdc: '5', policy: { max_single_transfer: 1 } }), await anAccount()];
    const { transfer_id } = bodyOf(await pay(a, b, '2', { memo: 'm', category: 'data' }), 402);
    expect(await entriesOf(a)).toEqual([
      anEntry({
        account_id: a.id,
        type: 'rejection',
        status: 'rejected',
        amount_usdc: '2.000000',
        counterparty: b.id,
        memo: 'm',
        category: 'data',
        rejection_reason: 'max_single_transfer',
        transfer_id,
      }),
    ]);
    expect(await entriesOf(b)).toEqual([]);
  });

  test('a request that was never an order is not in the history', async () => {
    const a = await anAccount({ usdc: '5' });
    await pay(a, 'nobody', '1');
    await pay(a, a, '-1');
    expect(await entriesOf(a)).toEqual([]);
  });

  test('the history is newest first, in stable pages, and filtered by status and time', async () => {
    const [a, b] = [await anAccount({ policy: { max_single_transfer: 1 } }), await anAccount()];
    // Money of the faucet is a deposit, which is recorded later.
    bodyOf(await pay(await anAccount({ usdc: '50' }), a, '50'), 200);
    for (let count = 0; count < 6; count++) await pay(a, b, count % 3 === 2 ? '2' : '1');
    const all = await everyRow(`/v1/accounts/${a.id}/transactions`);
    const created = all.map(({ created_at }) => created_at);
    expect(created).toEqual([...created].sort().reverse());
    const first = bodyOf(await history(a, 'limit=2'), 200);
    expect([Object.keys(first).sort(), first.has_more, ids(first.data)]).toEqual([
      ['cursor', 'data', 'has_more'],
      true,
      ids(all.slice(0, 2)),
    ]);
    bodyOf(await pay(a, b, '0.5'), 200);
    const second = bodyOf(await history(a, `limit=2&cursor=${first.cursor}`), 200);
    expect(ids(second.data)).toEqual(ids(all.slice(2, 4)));
    expect((await entriesOf(a)).filter(({ status }) => status === 'rejected')).toHaveLength(2);
    expect(bodyOf(await history(a, 'status=rejected'), 200).data.map(({ status }: Body) => status)).toEqual(['rejected', 'rejected']);
    expect(bodyOf(await history(a, 'status=settled'), 200).data.every(({ status }: Body) => status === 'settled')).toBe(true);
    expect(bodyOf(await history(a, 'status=all&limit=100'), 200).data.length).toBe(all.length + 1);
    const since = all[2]?.created_at;
    const newer = bodyOf(await history(a, `since=${since}&status=all`), 200);
    expect(ids(newer.data).slice(1)).toEqual(ids(all.filter(({ created_at }) => created_at > since)));
    expect(ids(bodyOf(await history(a, `since=${encodeURIComponent(since.replace('Z', '+00:00'))}`), 200).data)).toEqual(ids(newer.data));
    expect(bodyOf(await history(a, 'since=2999-01-01T00:00:00Z'), 200)).toEqual({ data: [], cursor: null, has_more: false });
  });

  test('the history has 25 entries per page by default', async () => {
    const [a, b] = [await anAccount(), await anAccount()];
    await Promise.all(Array.from({ length: 27 }, () => pay(a, b, '1')));
    const first = bodyOf(await history(a), 200);
    expect([first.data.length, first.has_more]).toEqual([25, true]);
    const last = bodyOf(await history(a, `cursor=${first.cursor}`), 200);
    expect([last.data.length, last.has_more, last.cursor]).toEqual([2, false, null]);
    expect(bodyOf(await history(a, 'limit=27'), 200)).toMatchObject({ has_more: false, cursor: null });
    expect(bodyOf(await history(a, 'limit=26'), 200)).toMatchObject({ has_more: true });
  });

  test('the history of a new account is empty', async () =>
    expect(bodyOf(await history(await anAccount()), 200)).toEqual({ data: [], cursor: null, has_more: false }));
});

describe('GET /v1/accounts/:id/spending', () => {
  const UNLIMITED = { limit_usdc: null, spent_usdc: null, remaining_usdc: null };
  const spendingOf = async ({ id }: TestAccount): Promise<Body> => bodyOf(await operator().get(`/v1/accounts/${id}/spending`), 200);

  test('spending without a limit has no numbers of one', async () => {
    const a = await anAccount({ usdc: '5' });
    expect(await spendingOf(a)).toEqual({
      account_id: a.id,
      balance_usdc: '5.000000',
      held_usdc: '0.000000',
      limit_usdc: null,
      spent_usdc: null,
      reserved_usdc: null,
      remaining_usdc: null,
      releases: [],
      policy_version: 1,
      monthly: UNLIMITED,
      lifetime: UNLIMITED,
      policy: expect.objectContaining({ max_daily_spend: null, paused: false }),
      as_of: expect.stringMatching(TIME),
    });
  });

  test('spending reports what was spent, what remains and when it is released', async () => {
    const [a, b] = [await anAccount({ usdc: '50', policy: { max_daily_spend: 10 } }), await anAccount()];
    for (const amount of ['1.25', '2.000001']) bodyOf(await pay(a, b, amount), 200);
    bodyOf(await pay(a, b, '9'), 402);
    const { releases, ...spending } = await spendingOf(a);
    expect(spending).toEqual({
      account_id: a.id,
      balance_usdc: '46.749999',
      held_usdc: '0.000000',
      limit_usdc: '10.000000',
      spent_usdc: '3.250001',
      reserved_usdc: '0.000000',
      remaining_usdc: '6.749999',
      policy_version: 2,
      monthly: UNLIMITED,
      lifetime: UNLIMITED,
      policy: expect.objectContaining({ max_daily_spend: 10, paused: false }),
      as_of: expect.stringMatching(TIME),
    });
    // Two payments may be in two buckets of 15 minutes.
    const total = releases.reduce((sum: number, { amount_usdc }: Body) => sum + Number(amount_usdc.replace('.', '')), 0);
    expect([total, releases.length <= 2]).toEqual([3_250_001, true]);
    for (const { at } of releases) {
      const hours = (Date.parse(at) - Date.parse(spending.as_of)) / 3_600_000;
      expect(hours > 24 - 0.01 && hours <= 24.26).toBe(true);
    }
  });

  test('spending with a limit below what was spent has nothing remaining, and deposits do not count', async () => {
    const [a, b] = [await anAccount({ usdc: '50' }), await anAccount({ usdc: '5' })];
    bodyOf(await pay(a, b, '3'), 200);
    bodyOf(await pay(b, a, '1'), 200);
    await setPolicy(a, { max_daily_spend: 2 });
    expect(await spendingOf(a)).toMatchObject({
      balance_usdc: '48.000000',
      limit_usdc: '2.000000',
      spent_usdc: '3.000000',
      remaining_usdc: '0.000000',
    });
  });

  test('an agent reads the spending of its own account only', async () => {
    const [a, b] = [await anAccount(), await anAccount()];
    const agent = await anAgent(a);
    expect(bodyOf(await agent.get(`/v1/accounts/${a.id}/spending`), 200).account_id).toBe(a.id);
    expect((await agent.get(`/v1/accounts/${b.id}/spending`)).status).toBe(403);
  });
});

describe('GET /v1/events', () => {
  test('a settled transfer has two events, for its payer only, with consecutive numbers', async () => {
    const [a, b] = [await anAccount({ usdc: '5' }), await anAccount()];
    const { transfer_id, tx_signature, settled_at } = bodyOf(await pay(a, b, '1.5'), 200);
    const facts = { transfer_id, account_id: a.id, amount_usdc: '1.500000', tx_signature };
    expect(await eventsOf(a)).toEqual([
      ['transfer.initiated', { ...facts, to: b.id }],
      ['transfer.settled', { ...facts, settled_at }],
    ]);
    expect(await eventsOf(b)).toEqual([]);
  });

  test('events of concurrent transfers have consecutive numbers', async () => {
    const [a, b] = [await anAccount({ usdc: '20' }), await anAccount()];
    const answers = await Promise.all(Array.from({ length: 60 }, () => pay(a, b, '1')));
    const events = await eventsOf(a);
    const typesOf = (id: string): string[] => events.filter(([, data]) => data.transfer_id === id).map(([type]) => type);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    for (const { status, body } of answers) {
      // A transfer that was overtaken was sent, and rejected on chain.
      const sent = ['transfer.initiated', ...(status === 200 ? ['transfer.settled'] : ['transfer.rejected'])];
      expect([sent, ...(status === 402 ? [['transfer.rejected']] : [])]).toContainEqual(typesOf(body.transfer_id));
    }
  });
});

describe('GET /v1/accounts/:id/transactions by type and until', () => {
  test('GET /v1/accounts/:id/transactions filters by type and until', async () => {
    const [a, b] = [await anAccount({ usdc: '5', policy: { max_single_transfer: 2 } }), await anAccount()];
    for (const amount of ['1', '2']) bodyOf(await pay(a, b, amount), 200);
    bodyOf(await pay(a, b, '3'), 402);
    const amounts = async (search: string): Promise<string[]> =>
      bodyOf(await history(a, search), 200).data.map(({ amount_usdc }: Body) => amount_usdc);
    expect(await amounts('type=transfer')).toEqual(['2.000000', '1.000000']);
    expect(await amounts('type=rejection')).toEqual(['3.000000']);
    expect(await amounts('type=session_settlement')).toEqual([]);
    expect(await amounts('type=rejection&status=settled')).toEqual([]);
    expect(await amounts('type=transfer&status=settled&limit=1')).toEqual(['2.000000']);
    const { created_at } = bodyOf(await history(a, 'type=transfer'), 200).data[1];
    expect(await amounts(`type=transfer&until=${created_at}`)).toEqual(['1.000000']);
    expect(await amounts(`type=transfer&since=${created_at}`)).toEqual(['2.000000']);
  });
});
