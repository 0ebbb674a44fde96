import { randomUUID } from 'node:crypto';
import { api, type Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { newOperatorKey } from '../../support/operators';
import { PurseStage } from '../../support/purses';
import { sharedService, type SharedService } from '../../support/service';
import { RogueProvider } from '../../support/rogue-provider';
import { anAccount, bodyOf, everyRow, micro, type TestAccount } from '../../support/world';

jest.setTimeout(300_000);

let stage: PurseStage<SharedService>;
let provider: RogueProvider;
beforeAll(async () => {
  stage = await PurseStage.on(sharedService());
  provider = new RogueProvider(stage.payee.address, () => stage.service.sandbox);
  provider.price = 10_000n;
  await provider.start();
});
afterAll(async () => {
  provider.stop();
  await stage.stop();
});

/** The payee's records that are not in `before`, once its history adds up to its balance. */
async function received(before: Body[]): Promise<Body[]> {
  const known = new Set(before.map(({ id }) => id));
  return eventually(
    async () => {
      const records = await everyRow(`/v1/accounts/${stage.payee.id}/transactions`, stage.by);
      const sum = records.reduce((total, { direction, amount_usdc }) => total + (direction === 'in' ? 1n : -1n) * micro(amount_usdc), 0n);
      expect(sum).toBe(await stage.received());
      const added = records.filter(({ id }) => !known.has(id));
      expect(added).not.toEqual([]);
      return added;
    },
    { timeoutMs: 60_000 },
  );
}

const records = (): Promise<Body[]> => everyRow(`/v1/accounts/${stage.payee.id}/transactions`, stage.by);
const incoming = (payer: TestAccount, more: Body): Body => ({
  type: 'transfer',
  direction: 'in',
  status: 'settled',
  amount_usdc: '0.010000',
  counterparty: payer.id,
  tx_signature: expect.any(String),
  ...more,
});

test('a charge of an account of the same operator is the payee’s transfer, in, with the payment and the payer', async () => {
  const [before, payer] = [await records(), await anAccount({ by: stage.by, usdc: '1' })];
  const { payment_id, method } = bodyOf(await stage.pay(payer), 200);
  expect(method).toBe('charge');
  expect(await received(before)).toMatchObject([incoming(payer, { payment_id, session_id: null })]);
});

test('payments out of a purse are the payee’s transfers, in, each with its payment', async () => {
  const [before, payer] = [await records(), await anAccount({ by: stage.by, usdc: '1' })];
  await stage.open(payer, '0.1');
  const first = bodyOf(await stage.pay(payer), 200);
  const [one] = await received(before);
  const second = bodyOf(await stage.pay(payer), 200);
  const [two] = await received([...before, one]);
  expect([one, two]).toMatchObject([first, second].map(({ payment_id }) => incoming(payer, { payment_id })));
});

test('a session that closes is the payee’s transfer, in, with the session and the payer', async () => {
  const [before, payer] = [await records(), await anAccount({ by: stage.by, usdc: '1' })];
  const request = { account_id: payer.id, idempotency_key: randomUUID(), max_amount: '1', request: { method: 'GET', url: provider.url } };
  const { session_id } = bodyOf(await stage.by.post('/v1/payments', { ...request, open_session: { cap: '0.5' } }), 200);
  bodyOf(await stage.by.post(`/v1/sessions/${session_id}/close`), 200);
  expect(await received(before)).toMatchObject([incoming(payer, { session_id, payment_id: null })]);
});

test('a charge of another operator’s account is the payee’s transfer, in, with the payer’s address and without ids', async () => {
  const other = api(stage.service.baseUrl, await newOperatorKey(stage.service));
  const [before, payer] = [await records(), await anAccount({ by: other, usdc: '1' })];
  bodyOf(await stage.pay(payer, {}, other), 200);
  expect(await received(before)).toMatchObject([incoming(payer, { counterparty: payer.address, payment_id: null, transfer_id: null })]);
});
