import { randomUUID } from 'node:crypto';
import type { Failpoint } from '../../apps/api/src/runtime/failpoints';
import { api, type Api, type Body } from '../support/api';
import { eventually } from '../support/eventually';
import { startBeside } from '../support/operators';
import { startService, type Service } from '../support/service';
import { startStockChargeProvider, type StockChargeProvider } from '../support/stock-charges';
import { anAccount, bodyOf, chainBalance, query, rpc, linesOf, type TestAccount } from '../support/world';

jest.setTimeout(300_000);

/** Longer than a blockhash is valid. */
const EXPIRY_SLOTS = 200;

let service: Service;
let by: Api;
let stock: StockChargeProvider;
beforeAll(async () => {
  service = await startService({ variables: { LEASE_MS: '1000' } });
  by = api(service.baseUrl, service.operatorKey);
  stock = await startStockChargeProvider(service, (await anAccount({ by })).address);
});
afterAll(async () => {
  stock.stop();
  await service.stop();
});

const order = ({ id }: TestAccount, url: string): Body => ({
  account_id: id,
  idempotency_key: randomUUID(),
  max_amount: '0.01',
  request: { method: 'GET', url },
});
const pay = (account: TestAccount, url: string) => by.post('/v1/payments', order(account, url));
const balance = ({ tokenAccount }: TestAccount): Promise<bigint> => chainBalance(tokenAccount, service.sandbox.rpc_url);
const PAID = ['transfer', '0.010000', null];
const nothingIsOpen = (): Promise<void> =>
  eventually(async () => expect(await query('SELECT * FROM open_charges', [], service.sandbox.database_url)).toEqual([]), {
    timeoutMs: 20_000,
  });

test('two processes make five concurrent charges of one account one after the other', async () => {
  const account = await anAccount({ usdc: '0.05', by });
  const beside = await startBeside(service, { variables: { WORKER: 'apart', ALLOW_PRIVATE_URLS: 'true' } });
  const other = api(beside.baseUrl, service.operatorKey);
  const answers = await Promise.all(
    [by, other, by, other, by].map((each) => each.post('/v1/payments', order(account, `${stock.url}/report`))),
  );
  await beside.stop();
  expect(new Set(answers.map((answer) => bodyOf(answer, 200).tx_signature)).size).toBe(5);
  expect([await balance(account), await linesOf(account, by)]).toEqual([0n, Array(5).fill(PAID)]);
});

test('after a crash at any failpoint a charge is paid once or not at all, and the next charge works', async () => {
  const points: Failpoint[] = ['charge.approved', 'charge.authorized', 'charge.landed', 'charge.finished'];
  const crashed = await Promise.all(
    points.map(async (point) => {
      const account = await anAccount({ usdc: '1', by });
      const beside = await startBeside(service, {
        variables: { CRASH_AT: point, WORKER: 'apart', LEASE_MS: '1000', ALLOW_PRIVATE_URLS: 'true' },
      });
      const given = order(account, `${stock.url}/sponsored`);
      await expect(api(beside.baseUrl, service.operatorKey).post('/v1/payments', given)).rejects.toThrow();
      return { point, account, given };
    }),
  );
  // A credential that was issued and never used ends when it expires.
  await rpc('sandbox_advanceSlots', [{ slots: EXPIRY_SLOTS }], service.sandbox.rpc_url);
  await nothingIsOpen();
  for (const { point, account, given } of crashed) {
    const { status, body } = await by.post('/v1/payments', given);
    const isPaid = point !== 'charge.authorized';
    expect([point, status, body.rejection_reason]).toEqual([point, isPaid ? 200 : 402, isPaid ? undefined : 'provider_refused']);
    bodyOf(await pay(account, `${stock.url}/report`), 200);
    expect([point, await balance(account), await linesOf(account, by)]).toEqual([
      point,
      isPaid ? 980_000n : 990_000n,
      [PAID, isPaid ? PAID : ['rejection', '0.010000', 'provider_refused']],
    ]);
  }
});
