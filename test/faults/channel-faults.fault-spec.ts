/** Processes that die while they pay a metered seller: it is paid once or not at all, and history, limit and chain agree. */
import { randomUUID } from 'node:crypto';
import type { Failpoint } from '../../apps/api/src/runtime/failpoints';
import { api, type Api, type Body } from '../support/api';
import { eventually } from '../support/eventually';
import { startBeside } from '../support/operators';
import { startService, type Service } from '../support/service';
import { anAccount, bodyOf, chainBalance, everyRow, rpc, type TestAccount } from '../support/world';
import { startX402Seller, type X402Seller, sellerTerms } from '../support/x402-sellers/start';

jest.setTimeout(300_000);

const PRICE = 100_000n;
const COST = 40_000n;
/** More slots than a blockhash lives. */
const EXPIRY_SLOTS = 200;
const RUNNING = { LEASE_MS: '1000', SETTLEMENT_WAIT_MS: '3000' };

let service: Service;
let by: Api;
let payee: TestAccount;
let seller: X402Seller;
let treasury: string;
beforeAll(async () => {
  service = await startService({ variables: RUNNING });
  by = api(service.baseUrl, service.operatorKey);
  payee = await anAccount({ by });
  treasury = String(service.sandbox.channels_treasury);
  seller = await aSeller();
});
afterAll(async () => {
  await seller.stop();
  await service.stop();
});

/** The chain has another address after a restart. */
async function aSeller(): Promise<X402Seller> {
  return startX402Seller('upto', { ...(await sellerTerms(service, payee)), price: PRICE });
}

const order = ({ id }: TestAccount): Body => ({
  account_id: id,
  idempotency_key: randomUUID(),
  max_amount: '1',
  request: { method: 'GET', url: `${seller.url}/infer?cost=${COST}` },
});
const account = (): Promise<TestAccount> => anAccount({ by, usdc: '1', policy: { max_daily_spend: 1 } });
const balance = ({ tokenAccount }: TestAccount): Promise<bigint> => chainBalance(tokenAccount, service.sandbox.rpc_url);

/** The account's balance, history and limit agree on what was spent, and nothing is reserved or held. */
async function isSettled(agent: TestAccount, spent: bigint): Promise<void> {
  const usdc = `0.${spent.toString().padStart(6, '0')}`;
  await eventually(
    async () => {
      expect(await balance(agent)).toBe(1_000_000n - spent);
      expect(bodyOf(await by.get(`/v1/accounts/${agent.id}`), 200)).toMatchObject({ held_usdc: '0.000000' });
      const spending = bodyOf(await by.get(`/v1/accounts/${agent.id}/spending`), 200);
      expect(spending).toMatchObject({ spent_usdc: usdc, reserved_usdc: '0.000000' });
      const rows = await everyRow(`/v1/accounts/${agent.id}/transactions`, by);
      expect(rows.filter(({ type }) => type === 'transfer').map(({ amount_usdc }) => amount_usdc)).toEqual(spent === 0n ? [] : [usdc]);
    },
    { timeoutMs: 90_000 },
  );
  expect(await chainBalance(treasury, service.sandbox.rpc_url)).toBe(0n);
}

test.each<[Failpoint, boolean]>([
  ['transfer.landed', false],
  ['channel.funded', false],
  ['channel.authorized', false],
  ['payment.answered', true],
  ['channel.settled', true],
])('a process killed at %s leaves a metered payment that is paid once or not at all', async (point, isPaid) => {
  const agent = await account();
  const variables = { WORKER: 'apart', ALLOW_PRIVATE_URLS: 'true', ...RUNNING, CRASH_AT: point };
  const crashing = await startBeside(service, { variables });
  const body = order(agent);
  await expect(api(crashing.baseUrl, service.operatorKey).post('/v1/payments', body)).rejects.toThrow();
  await rpc('sandbox_advanceSlots', [{ slots: EXPIRY_SLOTS }], service.sandbox.rpc_url);
  // Without a credential the payment failed, and the same key pays now.
  const isRepeated = point === 'transfer.landed' || point === 'channel.funded';
  const status = isPaid || isRepeated ? 200 : 402;
  await eventually(async () => expect((await by.post('/v1/payments', body)).status).toBe(status), { timeoutMs: 90_000 });
  await isSettled(agent, status === 200 ? COST : 0n);
});

test.each<Failpoint>(['channel.finished', 'channel.gone'])(
  'a process killed at %s ends the purse once, with the exact sum',
  async (point) => {
    const agent = await account();
    await service.restart({ variables: { ...RUNNING, CRASH_AT: point } });
    by = api(service.baseUrl, service.operatorKey);
    await seller.stop();
    seller = await aSeller();
    bodyOf(await by.post('/v1/payments', order(agent)), 200);
    await eventually(async () => expect(await by.get('/v1/me').catch(() => null)).toBeNull(), { timeoutMs: 60_000 });
    await service.restart({ signal: 'SIGKILL', variables: RUNNING });
    by = api(service.baseUrl, service.operatorKey);
    await isSettled(agent, COST);
    await eventually(async () => {
      const { data } = bodyOf(await by.get(`/v1/purses?account_id=${agent.id}`), 200) as { data: Body[] };
      expect(data).toMatchObject([{ status: 'closed', spent_usdc: '0.040000', returned_usdc: '0.060000' }]);
    });
  },
);
