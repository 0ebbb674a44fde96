import { randomUUID } from 'node:crypto';
import type { Failpoint } from '../../apps/api/src/runtime/failpoints';
import { api, type Api, type Body } from '../support/api';
import { eventually } from '../support/eventually';
import { startBeside } from '../support/operators';
import { startService, type Service } from '../support/service';
import { anAccount, chainBalance, rpc } from '../support/world';
import { startX402Seller, type X402Seller, sellerTerms } from '../support/x402-sellers/start';

jest.setTimeout(300_000);

const PRICE = 10_000n;
/** More slots than a blockhash lives. */
const EXPIRY_SLOTS = 200;

let service: Service;
let by: Api;
let stock: X402Seller;
/** Sellers whose facilitators list the program, and list only others. */
let taking: X402Seller;
let refusing: X402Seller;
beforeAll(async () => {
  service = await startService({ variables: { LEASE_MS: '1000' } });
  by = api(service.baseUrl, service.operatorKey);
  const settings = { ...(await sellerTerms(service, await anAccount({ by }))), price: PRICE };
  [stock, taking, refusing] = (await Promise.all(
    [undefined, [service.sandbox.program_id], []].map((walletPrograms) => startX402Seller('express-v2', { ...settings, walletPrograms })),
  )) as [X402Seller, X402Seller, X402Seller];
});
afterAll(async () => {
  await Promise.all([stock.stop(), taking.stop(), refusing.stop()]);
  await service.stop();
});

const pay = (body: Body) => by.post('/v1/payments', body);

test.each<[Failpoint, boolean]>([
  ['charge.approved', false],
  ['charge.authorized', false],
  ['payment.answered', true],
  ['charge.landed', true],
  ['charge.finished', true],
])('a process killed at %s leaves an x402 payment that is paid once or not at all', async (point, isPaid) => {
  const agent = await anAccount({ by, usdc: '1' });
  const variables = { CRASH_AT: point, WORKER: 'apart', LEASE_MS: '1000', ALLOW_PRIVATE_URLS: 'true' };
  const beside = await startBeside(service, { variables });
  const request = { method: 'GET', url: `${stock.url}/report` };
  const body = { account_id: agent.id, idempotency_key: randomUUID(), max_amount: '1', request };
  await expect(api(beside.baseUrl, service.operatorKey).post('/v1/payments', body)).rejects.toThrow();
  await rpc('sandbox_advanceSlots', [{ slots: EXPIRY_SLOTS }], service.sandbox.rpc_url);
  await eventually(async () => expect((await pay(body)).body.status).not.toBe('unknown'), { timeoutMs: 60_000 });
  const { status } = await pay(body);
  // Without a credential the same key pays when it is repeated. A credential that was never sent is refused when it has expired.
  expect([status, await chainBalance(agent.tokenAccount, service.sandbox.rpc_url)]).toEqual(
    isPaid || point === 'charge.approved' ? [200, 990_000n] : [402, 1_000_000n],
  );
});

describe('a process killed while it pays by a direct transfer leaves a payment that is made once or not at all', () => {
  /** The outcome after the crash, and the outcome of the same request again. */
  async function crashAt(
    point: Failpoint,
    seller: X402Seller,
  ): Promise<{ status: number; method: unknown; balance: bigint; open: number }> {
    const host = new URL(seller.url).host;
    await by.put(`/v1/providers/${host}`, { wallet_programs: true });
    const agent = await anAccount({ by, usdc: '1' });
    const variables = { CRASH_AT: point, WORKER: 'apart', LEASE_MS: '1000', ALLOW_PRIVATE_URLS: 'true' };
    const beside = await startBeside(service, { variables });
    const request = { method: 'GET', url: `${seller.url}/report` };
    const body = { account_id: agent.id, idempotency_key: randomUUID(), max_amount: '1', request };
    await expect(api(beside.baseUrl, service.operatorKey).post('/v1/payments', body)).rejects.toThrow();
    await rpc('sandbox_advanceSlots', [{ slots: EXPIRY_SLOTS }], service.sandbox.rpc_url);
    await eventually(async () => expect((await pay(body)).body.status).not.toBe('unknown'), { timeoutMs: 60_000 });
    const answer = await pay(body);
    // Whatever was locked or reserved is free again.
    const next = await pay({ ...body, idempotency_key: randomUUID() });
    expect(next.status).toBe(200);
    const spending = await by.get(`/v1/accounts/${agent.id}/spending`);
    return {
      status: answer.status,
      method: answer.body.method,
      balance: await chainBalance(agent.tokenAccount, service.sandbox.rpc_url),
      open: Number(spending.body.reserved_usdc ?? 0),
    };
  }

  test.each<[Failpoint, object]>([
    // Nothing was stored: the same key pays when it is repeated.
    ['transfer.signed', { status: 200, method: 'transfer', balance: 980_000n }],
    // Stored and not sent: rejected when it has expired.
    ['transfer.handed', { status: 402, method: undefined, balance: 990_000n }],
    ['payment.answered', { status: 200, method: 'transfer', balance: 980_000n }],
    ['payment.concluded', { status: 200, method: 'transfer', balance: 980_000n }],
  ])('at %s', async (point, expected) => expect(await crashAt(point, taking)).toMatchObject({ ...expected, open: 0 }));

  test.each<[Failpoint, object]>([
    ['charge.approved', { status: 402, method: undefined, balance: 990_000n }],
    ['charge.authorized', { status: 402, method: undefined, balance: 990_000n }],
    ['charge.landed', { status: 200, method: 'charge', balance: 980_000n }],
  ])('at %s of the charge that takes the nonce over', async (point, expected) =>
    expect(await crashAt(point, refusing)).toMatchObject({ ...expected, open: 0 }),
  );
});
