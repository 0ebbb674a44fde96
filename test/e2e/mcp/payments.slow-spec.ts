import { randomUUID } from 'node:crypto';
import { startExampleProvider, type ExampleProvider } from '../../support/example-provider';
import { connectMcp, TRANSPORTS, type Connected } from '../../support/mcp';
import { sharedService } from '../../support/service';
import { anAccount, balanceOf, bodyOf, chainBalance, landedSignatures, operator, type TestAccount } from '../../support/world';
import { startX402Seller, type X402Seller, sellerTerms } from '../../support/x402-sellers/start';

jest.setTimeout(300_000);

const PRICE = 10_000n;

let payee: TestAccount;
let seller: X402Seller;
let provider: ExampleProvider;
beforeAll(async () => {
  payee = await anAccount();
  provider = await startExampleProvider();
  seller = await startX402Seller('express-v2', { ...(await sellerTerms(sharedService(), payee)), price: PRICE });
});
afterAll(() => Promise.all([seller.stop(), provider.stop()]));

const keyOf = async ({ id }: TestAccount): Promise<string> =>
  bodyOf(await operator().post('/v1/api_keys', { type: 'agent', account_ids: [id] }), 201).key;

describe.each(TRANSPORTS)('payments by the MCP server over %s', (transport) => {
  let payer: TestAccount;
  let agent: Connected;
  beforeAll(async () => {
    payer = await anAccount({ usdc: '2', policy: { max_single_transfer: 1 } });
    agent = await connectMcp(transport, { baseUrl: sharedService().baseUrl, key: await keyOf(payer) });
  });
  afterAll(() => agent.close());

  test('quote returns the price of a URL, and nothing is signed, reserved or sent', async () => {
    const before = await landedSignatures(payer.tokenAccount);
    const { isError, content } = await agent.call('quote', { url: `${seller.url}/report` });
    expect([isError, content]).toMatchObject([
      false,
      {
        dry_run: true,
        allowed: true,
        amount_usdc: '0.010000',
        quotes: [{ protocol: 'x402', amount_usdc: '0.010000', payee: payee.address, chosen: true }],
      },
    ]);
    expect(await landedSignatures(payer.tokenAccount)).toEqual(before);
    expect((await agent.call('spend_left')).content).toMatchObject({ balance_usdc: '2.000000' });
    expect(bodyOf(await operator().get(`/v1/payments?account_id=${payer.id}`), 200).data).toEqual([]);
  });

  test('pay pays a stock x402 seller once for one key, and returns its response as text', async () => {
    const before = await chainBalance(payee.tokenAccount);
    const args = { url: `${seller.url}/report`, max_amount: '0.02', idempotency_key: randomUUID() };
    const { isError, content } = await agent.call('pay', args);
    expect([isError, content]).toMatchObject([
      false,
      { outcome: 'done', payment: { status: 'paid', protocol: 'x402', amount_usdc: '0.010000', response: { status: 200 } } },
    ]);
    expect(JSON.parse(content.payment.response.body)).toMatchObject({ report: 'fine' });
    expect(content.payment.response.body_base64).toBeUndefined();
    const again = await agent.call('pay', args);
    expect(again.content.payment.payment_id).toBe(content.payment.payment_id);
    expect((await chainBalance(payee.tokenAccount)) - before).toBe(PRICE);
    const { payment_id: id } = content.payment;
    expect((await agent.call('payment_status', { id })).content).toMatchObject({ outcome: 'done', payment: { payment_id: id } });
  });

  test('a price above max_amount needs a change, with both numbers, and nothing is paid', async () => {
    const before = await balanceOf(payer);
    const { isError, content } = await agent.call('pay', { url: `${seller.url}/report`, max_amount: '0.001' });
    expect([isError, content]).toMatchObject([
      false,
      {
        outcome: 'needs_change',
        decline: { rejection_reason: 'max_amount', policy: { limit_usdc: '0.001000', attempted_usdc: '0.010000' } },
      },
    ]);
    expect(await balanceOf(payer)).toBe(before);
  });

  test('a session is opened, paid out of twice, and closed with the rest of its cap returned', async () => {
    const open = await agent.call('session_open', { provider: provider.url, payee: provider.payee, cap: '0.01' });
    const { session_id } = open.content.session;
    for (const _ of [1, 2]) {
      const { content } = await agent.call('pay', { url: `${provider.url}/quote`, max_amount: '0.001', session_id });
      expect(content).toMatchObject({ outcome: 'done', payment: { method: 'voucher', session_id, amount_usdc: '0.000100' } });
    }
    const { content } = await agent.call('session_close', { session_id });
    expect(content).toMatchObject({ outcome: 'done', session: { settled_usdc: '0.000200', returned_usdc: '0.009800' } });
  });

  test('a provider that cannot be reached is a failure that says to repeat with the same key', async () => {
    const idempotency_key = randomUUID();
    const { isError, content } = await agent.call('pay', { url: 'http://127.0.0.1:9/', max_amount: '1', idempotency_key });
    expect([isError, content]).toMatchObject([
      true,
      { error: 'provider_unreachable', idempotency_key, next_step: expect.stringMatching(/same idempotency_key/) },
    ]);
  });
});
