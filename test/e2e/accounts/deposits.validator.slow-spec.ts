import { eventually } from '../../support/eventually';
import { anOutsider, type Outsider } from '../../support/outsider';
import { anAccount, everyRow, fund, operator, pay, type TestAccount } from '../../support/world';
import { api, type Body } from '../../support/api';
import { startApart } from '../../support/operators';
import { sharedService, startService } from '../../support/service';

jest.setTimeout(60_000);

let outsider: Outsider;
beforeAll(async () => void (outsider = await anOutsider()));

const historyOf = ({ id }: TestAccount): Promise<Body[]> => everyRow(`/v1/accounts/${id}/transactions`);
const depositsOf = async (account: TestAccount): Promise<Body[]> => (await historyOf(account)).filter(({ type }) => type === 'deposit');

/** Waits until the history adds up to the balance: then all deposits are recorded. */
async function settledHistory(account: TestAccount): Promise<Body[]> {
  return eventually(async () => {
    const records = await historyOf(account);
    const sum = records
      .filter(({ status }) => status === 'settled')
      .reduce((total, { direction, amount_usdc }) => total + (direction === 'in' ? 1 : -1) * Math.round(Number(amount_usdc) * 1e6), 0);
    expect(sum).toBe(Math.round(Number((await operator().get(`/v1/accounts/${account.id}/balance`)).body.balance_usdc) * 1e6));
    return records;
  });
}

test('a deposit is in the history once, with amount, sender and signature', async () => {
  const account = await anAccount();
  const signature = await outsider.send(account.tokenAccount, 1_500_000n);
  const [deposit, ...more] = await eventually(async () => {
    const deposits = await depositsOf(account);
    expect(deposits).not.toEqual([]);
    return deposits;
  });
  expect(more).toEqual([]);
  expect(deposit).toMatchObject({
    status: 'settled',
    direction: 'in',
    amount_usdc: '1.500000',
    counterparty: outsider.tokenAccount,
    tx_signature: signature,
    rejection_reason: null,
    session_id: null,
    settled_at: expect.any(String),
  });
});

test('minted money is a deposit without a sender', async () => {
  const account = await anAccount({ usdc: '3' });
  await settledHistory(account);
  expect(await depositsOf(account)).toMatchObject([{ amount_usdc: '3.000000', counterparty: null }]);
});

test('several payments in one transaction are one deposit of their sum', async () => {
  const account = await anAccount();
  const signature = await outsider.send(account.tokenAccount, 1n, 2n, 3n);
  await settledHistory(account);
  expect(await depositsOf(account)).toMatchObject([{ amount_usdc: '0.000006', tx_signature: signature }]);
});

test('many deposits are all recorded, each once', async () => {
  const account = await anAccount();
  const signatures = await Promise.all(Array.from({ length: 20 }, (_, index) => outsider.send(account.tokenAccount, BigInt(index + 1))));
  await settledHistory(account);
  expect((await depositsOf(account)).map(({ tx_signature }) => tx_signature).sort()).toEqual(signatures.sort());
});

test('a transfer between accounts of the service is not a deposit', async () => {
  const [payer, payee] = [await anAccount({ usdc: '10' }), await anAccount()];
  await pay(payer, payee, '4');
  await outsider.send(payee.tokenAccount, 1n);
  await settledHistory(payee);
  expect((await historyOf(payee)).map(({ type, amount_usdc }) => [type, amount_usdc])).toEqual(
    expect.arrayContaining([
      ['deposit', '0.000001'],
      ['transfer', '4.000000'],
    ]),
  );
  expect(await historyOf(payee)).toHaveLength(2);
  expect((await settledHistory(payer)).map(({ type }) => type).sort()).toEqual(['deposit', 'transfer']);
});

test('money that arrived and left between two polls is recorded', async () => {
  const [account, other] = [await anAccount({ usdc: '1' }), await anAccount()];
  await settledHistory(account);
  const signature = await outsider.send(account.tokenAccount, 500_000n);
  await pay(account, other, '0.5');
  await settledHistory(account);
  expect((await depositsOf(account)).map(({ tx_signature }) => tx_signature)).toContain(signature);
});

test('money sent by a multisig is a deposit', async () => {
  const account = await anAccount();
  const signature = await outsider.sendTogether(account.tokenAccount, 1_250_000n);
  await settledHistory(account);
  expect(await depositsOf(account)).toMatchObject([{ amount_usdc: '1.250000', tx_signature: signature }]);
});

test('money that another program moved by an inner instruction is a deposit', async () => {
  const account = await anAccount();
  // The accounts of another service are strangers to this one, and their program pays by a call to the Token program.
  const elsewhere = await startApart(sharedService());
  const by = api(elsewhere.baseUrl, elsewhere.operatorKey);
  const { body } = await pay(await anAccount({ usdc: '5', by }), account.tokenAccount, '2.5', {}, by);
  await elsewhere.stop();
  await settledHistory(account);
  expect(await depositsOf(account)).toMatchObject([{ amount_usdc: '2.500000', tx_signature: body.tx_signature }]);
});

test('tokens of another mint are not a deposit', async () => {
  const account = await anAccount();
  await outsider.giveOtherMoney(account.address);
  await fund(account, '1');
  await settledHistory(account);
  expect(await depositsOf(account)).toMatchObject([{ amount_usdc: '1.000000' }]);
});

test('a deposit that arrived while no process ran is recorded by the next one', async () => {
  const service = await startService({ variables: { WORKER: 'apart' } });
  const by = api(service.baseUrl, service.operatorKey);
  const account = await anAccount({ by });
  await fund(account, '7', by);
  expect((await by.get(`/v1/accounts/${account.id}/transactions`)).body.data).toEqual([]);
  await service.restart({ variables: { WORKER: 'inside' } });
  const listening = api(service.baseUrl, service.operatorKey);
  await eventually(async () => {
    expect((await listening.get(`/v1/accounts/${account.id}/transactions`)).body.data).toMatchObject([
      { type: 'deposit', amount_usdc: '7.000000' },
    ]);
  });
  await service.stop();
});
