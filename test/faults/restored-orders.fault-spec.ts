import { randomUUID } from 'node:crypto';
import type { Answer, Body } from '../support/api';
import { eventually } from '../support/eventually';
import { Restorable } from '../support/restored';
import { RogueProvider } from '../support/rogue-provider';
import { sharedService } from '../support/service';
import { anAccount, bodyOf, chainBalance, everyRow, order, type TestAccount } from '../support/world';
import { startX402Seller, sellerTerms } from '../support/x402-sellers/start';

jest.setTimeout(600_000);

let restorable: Restorable;
beforeEach(async () => void (restorable = await Restorable.start({ ALLOW_PRIVATE_URLS: 'true' })));
afterEach(() => restorable.stop());

const post = (path: string, body: Body): Promise<Answer> => restorable.by.post(path, body);
const account = (usdc = '50'): Promise<TestAccount> => anAccount({ usdc, by: restorable.by });
const held = ({ tokenAccount }: TestAccount): Promise<bigint> => chainBalance(tokenAccount);
/** The records of an account but its deposits, newest first. */
const history = async ({ id }: TestAccount): Promise<Body[]> =>
  (await everyRow(`/v1/accounts/${id}/transactions`, restorable.by)).filter(({ type }) => type !== 'deposit');

/** `npm run reconcile` finds nothing left to explain, and repeats it with exit status 0. */
async function expectAgreement(): Promise<void> {
  await eventually(
    async () => {
      const { report, status } = await restorable.reconcile();
      expect([status, report.drifts, report.unexplained, report.unreachable]).toEqual([0, [], [], []]);
    },
    { timeoutMs: 120_000 },
  );
  expect((await restorable.reconcile()).report.repaired).toEqual([]);
}

/** Repeats a request after a restore, and with each change of it. */
async function expectReplay(path: string, request: Body, status: number, changes: Body[]): Promise<Body> {
  for (const change of changes)
    expect(await post(path, { ...request, ...change })).toMatchObject({ status: 409, body: { error: 'idempotency_conflict' } });
  const answer = await post(path, request);
  expect(answer.headers.get('idempotent-replayed')).toBe('true');
  return bodyOf(answer, status);
}

test('a transfer that a restored database has lost is answered as settled when it is repeated, and with other parameters as a conflict', async () => {
  const [payer, payee, other] = [await account(), await account(), await account()];
  const lost = order(payer, payee, '10', { memo: 'invoice 7' });
  const unrepeated = order(payer, payee, '3');
  const done = await restorable.loseWhat(async () => {
    bodyOf(await post('/v1/transfers', unrepeated), 200);
    return bodyOf(await post('/v1/transfers', lost), 200);
  });

  const changes = [
    { amount: '11' },
    { to: other.id },
    { memo: 'invoice 8' },
    { memo: undefined },
    { category: 'data' },
    { from: other.id, to: payer.id },
  ];
  const again = await expectReplay('/v1/transfers', lost, 200, changes);
  const { settled_at: _settledAt, created_at: _createdAt, ...facts } = done;
  expect(again).toMatchObject(facts);
  expect(Date.parse(again.settled_at)).toBeLessThanOrEqual(Date.parse(done.settled_at) + 1_000);
  expect([await held(payer), await held(payee)]).toEqual([37_000_000n, 63_000_000n]);
  bodyOf(await post('/v1/transfers', order(payer, payee, '1')), 200);
  await expectAgreement();
  expect((await history(payer)).map(({ amount_usdc }) => amount_usdc)).toEqual(['1.000000', '10.000000', '3.000000']);
});

test('a transfer whose idempotency key has expired is made again after a restore, although the chain has an older one with that key', async () => {
  await restorable.stop();
  restorable = await Restorable.start({ IDEMPOTENCY_TTL_SECONDS: '2' });
  const [from, to] = [await account(), await account()];
  const request = order(from, to, '1');
  const first = await restorable.loseWhat(async () => bodyOf(await post('/v1/transfers', request), 200));
  await eventually(async () => expect(bodyOf(await post('/v1/transfers', request), 200).transfer_id).not.toBe(first.transfer_id));
  expect(await held(to)).toBe(52_000_000n);
});

test('a session that a restored database has lost is not opened again: it is ended, and its cap comes back', async () => {
  const [payer, payee] = [await account(), await account()];
  const lost = { account_id: payer.id, provider: 'https://api.example.com', payee: payee.address, cap: '5', idempotency_key: 's-1' };
  const done = await restorable.loseWhat(async () => bodyOf(await post('/v1/sessions', lost), 201));

  const again = await expectReplay('/v1/sessions', lost, 201, [
    { cap: '6' },
    { provider: 'https://other.example.com' },
    { grace_seconds: 5 },
    { expires_in_seconds: 90 },
  ]);
  expect(again).toMatchObject({
    session_id: done.session_id,
    provider: lost.provider,
    cap_usdc: '5.000000',
  });
  await eventually(async () => expect(await held(payer)).toBe(50_000_000n), { timeoutMs: 60_000 });
  await eventually(async () =>
    expect(bodyOf(await post('/v1/sessions', lost), 201)).toMatchObject({
      status: 'settled',
      settled_usdc: '0.000000',
      returned_usdc: '5.000000',
    }),
  );
  await expectAgreement();
});

test('a top-up that a restored database has lost is not made again, and its session is ended', async () => {
  const [payer, payee] = [await account(), await account()];
  const opening = { account_id: payer.id, provider: 'https://api.example.com', payee: payee.address, cap: '5', idempotency_key: 's-1' };
  const { session_id: id } = bodyOf(await post('/v1/sessions', opening), 201);
  const lost = { amount: '2', idempotency_key: 't-1' };
  await restorable.loseWhat(async () => bodyOf(await post(`/v1/sessions/${id}/top_up`, lost), 201));

  await expectReplay(`/v1/sessions/${id}/top_up`, lost, 201, [{ amount: '3' }]);
  await eventually(async () => expect(await held(payer)).toBe(50_000_000n), { timeoutMs: 60_000 });
  await expectAgreement();
});

test('a purse that a restored database has lost is not opened again: it is ended, and its rest is free', async () => {
  const payer = await account();
  const lost = { account_id: payer.id, amount: '2', idempotency_key: 'p-1', host: 'seller.example.com' };
  const done = await restorable.loseWhat(async () => bodyOf(await post('/v1/purses', lost), 201));

  const again = await expectReplay('/v1/purses', lost, 201, [{ amount: '3' }, { category: 'data' }, { expires_in_seconds: 300 }]);
  expect(again).toMatchObject({
    purse_id: done.purse_id,
    status: 'closed',
    spent_usdc: '0.000000',
    returned_usdc: '2.000000',
    host: lost.host,
  });
  await expectAgreement();
});

test('a direct transfer that a restored database has lost is not made again: its payment is paid, with one record', async () => {
  const payee = await account();
  const payer = await anAccount({ usdc: '50', policy: { allowed_counterparties: [payee.address] }, by: restorable.by });
  const seller = await startX402Seller('express-v2', {
    ...(await sellerTerms(sharedService(), payee)),
    walletPrograms: [sharedService().sandbox.program_id],
  });
  try {
    const lost = payment(payer, `${seller.url}/report`);
    const done = await restorable.loseWhat(async () => bodyOf(await post('/v1/payments', lost), 200));
    expect(done).toMatchObject({ status: 'paid', method: 'transfer' });
    const facts = { status: 'paid_unreceipted', method: 'transfer', tx_signature: done.tx_signature, amount_usdc: '0.010000' };
    for (const answer of await Promise.all([1, 2].map(() => post('/v1/payments', lost)))) expect(bodyOf(answer, 200)).toMatchObject(facts);
    expect(await held(payer)).toBe(49_990_000n);
    bodyOf(await post('/v1/payments', payment(payer, `${seller.url}/report`)), 200);
    await expectAgreement();
    expect((await history(payer)).map(({ amount_usdc }) => amount_usdc)).toEqual(['0.010000', '0.010000']);
  } finally {
    await seller.stop();
  }
});

const payment = ({ id }: TestAccount, url: string): Body => ({
  account_id: id,
  idempotency_key: randomUUID(),
  max_amount: '1',
  request: { method: 'GET', url },
});

test('payments out of a session of the backup are refused after a restore, and the session is ended', async () => {
  const [payer, payee] = [await account(), await account()];
  const provider = new RogueProvider(payee.address);
  await provider.start();
  try {
    const opening = { account_id: payer.id, provider: provider.url, payee: payee.address, cap: '5', idempotency_key: 's-1' };
    const { session_id } = bodyOf(await post('/v1/sessions', opening), 201);
    const payment = (more: Body): Body => ({
      account_id: payer.id,
      idempotency_key: randomUUID(),
      max_amount: '1',
      request: { method: 'GET', url: provider.url },
      ...more,
    });
    const [named, chosen, opened] = [payment({ session_id }), payment({}), payment({ open_session: { cap: '1' } })];
    await restorable.loseWhat(async () => {
      for (const each of [named, chosen, opened]) bodyOf(await post('/v1/payments', each), 200);
    });

    provider.behave();
    expect(await post('/v1/payments', named)).toMatchObject({ status: 409, body: { error: 'conflict', session_id } });
    for (const each of [chosen, opened]) {
      const refused = await post('/v1/payments', each);
      expect(refused).toMatchObject({
        status: 409,
        body: { error: 'conflict', message: expect.stringContaining('may have paid this request') },
      });
      expect(await restorable.by.post('/v1/payments', each, { 'Dry-Run': 'true' })).toMatchObject({
        status: 200,
        body: { allowed: false },
      });
    }
    expect(provider.payments).toEqual([]);
    await eventually(async () => expect(await held(payer)).toBe(50_000_000n), { timeoutMs: 60_000 });
    // A session that is opened after the restore pays.
    const next = bodyOf(await post('/v1/sessions', { ...opening, idempotency_key: 's-2' }), 201);
    expect(bodyOf(await post('/v1/payments', payment({ session_id: next.session_id })), 200)).toMatchObject({ status: 'paid' });
    await expectAgreement();
  } finally {
    provider.stop();
  }
});

test('payments out of a purse of the backup are refused after a restore, and what it paid is written down', async () => {
  const [payer, payee] = [await account(), await account()];
  const seller = await startX402Seller('express-v2', { ...(await sellerTerms(sharedService(), payee)), price: 10_000n });
  try {
    const opening = { account_id: payer.id, amount: '1', idempotency_key: 'p-1' };
    const { purse_id } = bodyOf(await post('/v1/purses', opening), 201);
    const payment = (more: Body): Body => ({
      account_id: payer.id,
      idempotency_key: randomUUID(),
      max_amount: '1',
      request: { method: 'GET', url: `${seller.url}/report` },
      ...more,
    });
    const [named, chosen] = [payment({ purse_id }), payment({})];
    await restorable.loseWhat(async () => {
      for (const each of [named, chosen]) bodyOf(await post('/v1/payments', each), 200);
    });

    expect(await post('/v1/payments', named)).toMatchObject({ status: 409, body: { error: 'conflict', purse_id } });
    expect(await post('/v1/payments', chosen)).toMatchObject({
      status: 409,
      body: { error: 'conflict', purse_id, message: expect.stringContaining('may have paid this request') },
    });
    await eventually(async () =>
      expect(bodyOf(await restorable.by.get(`/v1/purses/${purse_id}`), 200)).toMatchObject({ status: 'closed', spent_usdc: '0.020000' }),
    );
    await expectAgreement();
    expect(await history(payer)).toMatchObject([
      { type: 'transfer', amount_usdc: '0.010000', counterparty: null },
      { type: 'transfer', amount_usdc: '0.010000', counterparty: null },
    ]);
    const next = bodyOf(await post('/v1/purses', { ...opening, idempotency_key: 'p-2' }), 201);
    expect(bodyOf(await post('/v1/payments', payment({ purse_id: next.purse_id })), 200)).toMatchObject({ status: 'paid' });
  } finally {
    await seller.stop();
  }
});

test('an account that was created after the backup is found on chain after a restore, and its money moves under a new authority', async () => {
  const payee = await account();
  const rotated = await account();
  const created = await restorable.loseWhat(async () => {
    const one = await account('7');
    bodyOf(await post('/v1/transfers', order(one, payee, '1')), 200);
    bodyOf(await post(`/v1/accounts/${rotated.id}/rotate_authority`, {}), 200);
    return one;
  });
  expect((await restorable.reconcile()).report.repaired).toEqual(expect.arrayContaining([created.id, rotated.id]));
  expect(bodyOf(await restorable.by.get(`/v1/accounts/${created.id}`), 200)).toMatchObject({
    balance_usdc: '6.000000',
    chain_address: created.address,
  });
  await eventually(async () => {
    for (const each of [created, rotated]) bodyOf(await post('/v1/transfers', order(each, payee, '2')), 200);
  });
  await expectAgreement();
  expect((await history(created)).map(({ amount_usdc }) => amount_usdc)).toContain('1.000000');
});

test.each(['before', 'after'])(
  'a creation of an account that is repeated %s the reconciliation of a restore answers the same account',
  async (when) => {
    const payee = await account();
    const wanted = { name: 'Keyed', metadata: { team: 'search' }, labels: ['research'] };
    const headers = { 'Idempotency-Key': 'account-1' };
    const create = (body: Body = wanted) => restorable.by.post('/v1/accounts', body, headers);
    const lost = await restorable.loseWhat(async () => bodyOf(await create(), 201));
    if (when === 'after') expect((await restorable.reconcile()).report.repaired).toContain(lost.account_id);

    const repeated = await Promise.all([create(), create()]);
    for (const answer of repeated) {
      expect(bodyOf(answer, 201)).toMatchObject({ ...wanted, account_id: lost.account_id, chain_address: lost.chain_address });
      expect(answer.headers.get('idempotent-replayed')).toBe('true');
    }
    expect(await create({ ...wanted, name: 'Other' })).toMatchObject({ status: 409, body: { error: 'idempotency_conflict' } });
    expect(bodyOf(await restorable.by.get(`/v1/accounts/${lost.account_id}`), 200)).toMatchObject(wanted);
    expect(await everyRow('/v1/accounts', restorable.by)).toHaveLength(2);
    // Its authority is a new one, which the service holds.
    bodyOf(await post('/v1/sandbox/faucet', { account_id: lost.account_id, amount: '5' }), 200);
    await eventually(async () => bodyOf(await post('/v1/transfers', order({ ...payee, id: lost.account_id }, payee, '2')), 200));
    await expectAgreement();
  },
);
