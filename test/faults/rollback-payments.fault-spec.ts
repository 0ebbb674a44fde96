import { type Body } from '../support/api';
import { eventually } from '../support/eventually';
import { PRICE } from '../support/purses';
import { HEALED, RollbackStage } from '../support/rollback';
import { RogueProvider } from '../support/rogue-provider';
import { anAccount, bodyOf, chainBalance, eventsOf, everyRow, rpc, type TestAccount } from '../support/world';
import { startX402Seller, sellerTerms } from '../support/x402-sellers/start';

jest.setTimeout(600_000);

let stage: RollbackStage;
let payee: TestAccount;
let provider: RogueProvider;
beforeEach(async () => {
  stage = await RollbackStage.start();
  payee = await anAccount({ by: stage.by });
  provider = new RogueProvider(payee.address, () => stage.service.sandbox);
  provider.price = PRICE;
  provider.behave({
    unpaid: provider.asks(() => provider.charge()),
    paid: (response, paid) =>
      void rpc('sendTransaction', [paid.transaction, { encoding: 'base64' }], stage.service.sandbox.rpc_url).then(() =>
        provider.serve(response, paid),
      ),
  });
  await provider.start();
});
afterEach(async () => {
  provider.stop();
  await stage.service.stop();
});

const account = (): Promise<TestAccount> => anAccount({ usdc: '1', policy: { max_daily_spend: 1 }, by: stage.by });
const typesOf = async (one: TestAccount): Promise<string[]> =>
  (await eventsOf(one, stage.service.sandbox.database_url)).map(([type]) => type).filter((type) => type.startsWith('transfer.'));
const pay = (url: string, { id }: TestAccount, more: Body = {}) =>
  stage.by.post('/v1/payments', {
    account_id: id,
    idempotency_key: `of ${id}`,
    max_amount: '0.01',
    request: { method: 'GET', url },
    ...more,
  });

/** A stock x402 seller on the chain as it runs now, while `work` runs. */
async function withSeller<T>(work: (url: string) => Promise<T>, walletPrograms?: string[]): Promise<T> {
  const seller = await startX402Seller('express-v2', {
    ...(await sellerTerms(stage.service, payee)),
    price: PRICE,
    ...(walletPrograms && { walletPrograms }),
  });
  try {
    return await work(`${seller.url}/report`);
  } finally {
    await seller.stop();
  }
}

/** The payment was reversed and can never land: the money is back, nothing is reserved, and the history has no transfer. */
async function isTakenBack(payer: TestAccount, { payment_id }: Body): Promise<void> {
  const show = async (): Promise<Body> => bodyOf(await stage.by.get(`/v1/payments/${payment_id}`), 200);
  await eventually(async () => expect(await show()).toMatchObject({ status: 'rejected', rejection_reason: 'provider_refused' }), HEALED);
  expect(await typesOf(payer)).toEqual(['transfer.settled', 'transfer.reversed']);
  const rows = await everyRow(`/v1/accounts/${payer.id}/transactions?status=all`, stage.by);
  expect(rows.map(({ type }) => type).filter((type) => type === 'transfer')).toEqual([]);
  expect(await chainBalance(payer.tokenAccount, stage.service.sandbox.rpc_url)).toBe(1_000_000n);
}

/** The records of the account that sells. */
const received = async (): Promise<Body[]> => everyRow(`/v1/accounts/${payee.id}/transactions`, stage.by);

test('a charge that is rolled back is reversed for payer and payee, and rejected once it can never land; the account makes another', async () => {
  const payer = await account();
  const paid = await stage.rolledBack(async () => {
    const payment = bodyOf(await pay(provider.url, payer), 200);
    await eventually(async () => expect(await received()).toMatchObject([{ type: 'transfer', payment_id: payment.payment_id }]));
    return payment;
  });
  await stage.expireTransactions();
  await isTakenBack(payer, paid);
  await eventually(async () => expect(await received()).toEqual([]), { timeoutMs: 60_000 });
  await eventually(async () => void bodyOf(await pay(provider.url, payer, { idempotency_key: 'again' }), 200), HEALED);
  expect(await chainBalance(payee.tokenAccount, stage.service.sandbox.rpc_url)).toBe(PRICE);
});

test('payments out of purses that are rolled back are reversed, also of a purse that was closed', async () => {
  const [holder, closer] = [await account(), await account()];
  const open = async ({ id }: TestAccount): Promise<string> =>
    String(bodyOf(await stage.by.post('/v1/purses', { account_id: id, amount: '0.05', idempotency_key: id }), 201).purse_id);
  const [kept, closed] = [await open(holder), await open(closer)];
  const paid = await stage.rolledBack(() =>
    withSeller(async (url) => {
      const payments = [bodyOf(await pay(url, holder, { purse_id: kept }), 200), bodyOf(await pay(url, closer, { purse_id: closed }), 200)];
      bodyOf(await stage.by.post(`/v1/purses/${closed}/close`), 200);
      return payments;
    }),
  );
  await stage.expireTransactions();
  await isTakenBack(holder, paid[0] ?? {});
  await isTakenBack(closer, paid[1] ?? {});
  const shown = async (id: string): Promise<Body> => bodyOf(await stage.by.get(`/v1/purses/${id}`), 200);
  await eventually(async () => expect(await shown(closed)).toMatchObject({ status: 'closed', spent_usdc: '0.000000' }), HEALED);
  expect(await shown(kept)).toMatchObject({ status: 'open', spent_usdc: '0.000000' });
  await withSeller((url) =>
    eventually(async () => void bodyOf(await pay(url, holder, { purse_id: kept, idempotency_key: 'again' }), 200), HEALED),
  );
  expect(await chainBalance(payee.tokenAccount, stage.service.sandbox.rpc_url)).toBe(PRICE);
});

test('a direct transfer that is rolled back is reversed for payer and payee, and rejected once it can never land', async () => {
  const policy = { max_daily_spend: 1, allowed_counterparties: [payee.address] };
  const payer = await anAccount({ usdc: '1', policy, by: stage.by });
  const programs = [String(stage.service.sandbox.program_id)];
  const paid = await stage.rolledBack(() =>
    withSeller(async (url) => {
      const payment = bodyOf(await pay(url, payer), 200);
      expect(payment).toMatchObject({ status: 'paid', method: 'transfer' });
      expect(await received()).toMatchObject([{ type: 'transfer', payment_id: payment.payment_id }]);
      return payment;
    }, programs),
  );
  await stage.expireTransactions();
  await isTakenBack(payer, paid);
  await eventually(async () => expect(await received()).toEqual([]), { timeoutMs: 60_000 });
});

test('a deposit that is rolled back is in no record any more', async () => {
  await stage.rolledBack(async () => {
    bodyOf(await stage.by.post('/v1/sandbox/faucet', { account_id: payee.id, amount: '7' }), 200);
    await eventually(async () => expect(await received()).toMatchObject([{ type: 'deposit', amount_usdc: '7.000000' }]));
  });
  await stage.expireTransactions();
  await eventually(async () => expect(await received()).toEqual([]), { timeoutMs: 60_000 });
});
