import type { Body } from '../support/api';
import { ChainKeyHolder, untilHeldBy } from '../support/chain-keys';
import { eventually } from '../support/eventually';
import { RogueProvider } from '../support/rogue-provider';
import { HEALED, RollbackStage } from '../support/rollback';
import { anAccount, bodyOf, chainBalance, eventsOf, everyRow, order, setPolicy, type TestAccount } from '../support/world';

jest.setTimeout(600_000);

let stage: RollbackStage;
beforeEach(async () => void (stage = await RollbackStage.start()));
afterEach(() => stage.service.stop());

const account = (usdc = '50'): Promise<TestAccount> => anAccount({ usdc, by: stage.by });
const held = ({ tokenAccount }: TestAccount): Promise<bigint> => chainBalance(tokenAccount, stage.service.sandbox.rpc_url);
const events = async (one: TestAccount): Promise<[string, Body][]> => eventsOf(one, stage.service.sandbox.database_url);
const typesOf = async (one: TestAccount): Promise<string[]> => (await events(one)).map(([type]) => type);

test('a transfer that settled and is rolled back is reversed, sent again under its nonce and settled again, once', async () => {
  const [payer, payee] = [await account(), await account()];
  const request = order(payer, payee, '10');
  const { transfer_id, tx_signature } = await stage.rolledBack(async () => bodyOf(await stage.by.post('/v1/transfers', request), 200));
  expect(await held(payee)).toBe(50_000_000n);

  await eventually(async () => expect(await held(payee)).toBe(60_000_000n), HEALED);
  await eventually(async () =>
    expect(await typesOf(payer)).toEqual(['transfer.initiated', 'transfer.settled', 'transfer.reversed', 'transfer.settled']),
  );
  const [, first, reversed, last] = await events(payer);
  expect(first?.[1]).not.toHaveProperty('resettled');
  expect(reversed?.[1]).toEqual({ transfer_id, account_id: payer.id, amount_usdc: '10.000000', tx_signature });
  expect(last?.[1]).toMatchObject({ transfer_id, resettled: true });
  expect(bodyOf(await stage.by.post('/v1/transfers', request), 200)).toMatchObject({ transfer_id, status: 'settled' });
  const records = await everyRow(`/v1/accounts/${payer.id}/transactions`, stage.by);
  expect(records.filter(({ type }) => type === 'transfer')).toMatchObject([
    { amount_usdc: '10.000000', tx_signature: last?.[1].tx_signature },
  ]);
  expect(await held(payer)).toBe(40_000_000n);
});

test('openings and ends of sessions and purses that are rolled back are made again, with their events', async () => {
  const [opener, ender, purser, pursed, payee] = [await account(), await account(), await account(), await account(), await account()];
  const session = ({ id }: TestAccount): Body => ({
    account_id: id,
    provider: 'https://api.example.com',
    payee: payee.address,
    cap: '5',
    idempotency_key: `session of ${id}`,
  });
  const purse = ({ id }: TestAccount): Body => ({ account_id: id, amount: '2', idempotency_key: `purse of ${id}` });
  const ended = bodyOf(await stage.by.post('/v1/sessions', session(ender)), 201);
  const closed = bodyOf(await stage.by.post('/v1/purses', purse(pursed)), 201);
  const [opened, allowed] = await stage.rolledBack(async () => {
    const made = [
      bodyOf(await stage.by.post('/v1/sessions', session(opener)), 201),
      bodyOf(await stage.by.post('/v1/purses', purse(purser)), 201),
    ];
    bodyOf(await stage.by.post(`/v1/sessions/${ended.session_id}/close`), 200);
    bodyOf(await stage.by.post(`/v1/purses/${closed.purse_id}/close`), 200);
    return made;
  });

  await eventually(async () => expect(await typesOf(opener)).toEqual(['session.opened', 'session.reversed', 'session.opened']), HEALED);
  await eventually(async () => expect(await typesOf(purser)).toEqual(['purse.opened', 'purse.reversed', 'purse.opened']), HEALED);
  const twice = ['settled', 'reversed', 'settled'].map((what) => `session.${what}`);
  await eventually(async () => expect(await typesOf(ender)).toEqual(['session.opened', ...twice]), HEALED);
  await eventually(
    async () => expect(await typesOf(pursed)).toEqual(['purse.opened', 'purse.closed', 'purse.reversed', 'purse.closed']),
    HEALED,
  );
  for (const one of [opener, purser, ender, pursed]) expect((await events(one)).at(-1)?.[1]).toMatchObject({ resettled: true });
  expect(bodyOf(await stage.by.get(`/v1/sessions/${opened?.session_id}`), 200)).toMatchObject({ status: 'open', cap_usdc: '5.000000' });
  expect(bodyOf(await stage.by.get(`/v1/purses/${allowed?.purse_id}`), 200)).toMatchObject({ status: 'open' });
  expect(await Promise.all([opener, ender, pursed].map(held))).toEqual([45_000_000n, 50_000_000n, 50_000_000n]);
  // The accounts make new orders.
  for (const each of [opener, ender, pursed]) bodyOf(await stage.by.post('/v1/transfers', order(each, payee, '1')), 200);
});

test('an account whose policy is rolled back to a looser one spends nothing until its policy is set again', async () => {
  const [payer, payee] = [await account(), await account()];
  await setPolicy(payer, { max_single_transfer: 30 }, stage.by);
  await stage.rolledBack(() => setPolicy(payer, { max_single_transfer: 15 }, stage.by));

  expect(await stage.by.post('/v1/transfers', order(payer, payee, '20'))).toMatchObject({
    status: 503,
    body: { error: 'chain_unavailable', message: expect.stringContaining('older policy of this account') },
  });
  expect(await held(payee)).toBe(50_000_000n);
  await setPolicy(payer, { max_single_transfer: 15 }, stage.by);
  expect(await stage.by.post('/v1/transfers', order(payer, payee, '20'))).toMatchObject({ status: 402 });
  bodyOf(await stage.by.post('/v1/transfers', order(payer, payee, '15')), 200);
});

test('a session of an account whose policy is rolled back issues no voucher until the policy is set again', async () => {
  const [payer, payee] = [await account(), await account()];
  const provider = new RogueProvider(payee.address, () => stage.service.sandbox);
  await provider.start();
  await setPolicy(payer, { max_session_cap: 10, max_single_transfer: 30 }, stage.by);
  const asked = { account_id: payer.id, provider: provider.url, payee: payee.address, cap: '5', idempotency_key: 'session' };
  const { session_id } = bodyOf(await stage.by.post('/v1/sessions', asked), 201);
  await stage.rolledBack(() => setPolicy(payer, { max_single_transfer: 15 }, stage.by));

  const pay = (key: string) =>
    stage.by.post('/v1/payments', {
      account_id: payer.id,
      session_id,
      idempotency_key: key,
      max_amount: '0.01',
      request: { method: 'GET', url: provider.url },
    });
  const held = { status: 503, body: { error: 'chain_unavailable', message: expect.stringContaining('older policy of this account') } };
  expect(await pay('held')).toMatchObject(held);
  expect(provider.payments).toEqual([]);
  await setPolicy(payer, { max_single_transfer: 15 }, stage.by);
  bodyOf(await pay('held'), 200);
  provider.stop();
});

test('a transfer that an external key approved and that is rolled back waits for another signature once its bytes expired', async () => {
  const holder = new ChainKeyHolder();
  bodyOf(await holder.accept(stage.by), 202);
  await untilHeldBy(stage.by, holder);
  const [payer, payee] = [await account(), await account()];
  await holder.complete(stage.by, await stage.by.put(`/v1/accounts/${payer.id}/policy`, { escalation_threshold: 5 }));
  const approve = async (id: string) => holder.complete(stage.by, await stage.by.post(`/v1/transfers/${id}/approve`));
  const id = await stage.rolledBack(async () => {
    const { transfer_id } = bodyOf(await stage.by.post('/v1/transfers', order(payer, payee, '10')), 202);
    expect(await approve(transfer_id)).toMatchObject({ status: 200, body: { status: 'settled' } });
    return String(transfer_id);
  });
  await stage.expireTransactions();

  await eventually(async () => expect((await stage.by.get(`/v1/transfers/${id}`)).body.status).toBe('pending_approval'), HEALED);
  expect(await approve(id)).toMatchObject({ status: 200, signatures: 1, body: { transfer_id: id, status: 'settled' } });
  expect(await held(payee)).toBe(60_000_000n);
  expect(await typesOf(payer)).toEqual([
    ...['escalation.required', 'transfer.initiated', 'transfer.settled', 'transfer.reversed'],
    ...['escalation.required', 'transfer.settled'],
  ]);
});
