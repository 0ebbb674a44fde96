import { randomUUID } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { api } from '../../support/api';
import { eventually } from '../../support/eventually';
import { sharedService } from '../../support/service';
import { anAccount, bodyOf, chainBalance, operator, type TestAccount } from '../../support/world';
import { startX402Seller, type X402Seller, sellerTerms } from '../../support/x402-sellers/start';

jest.setTimeout(300_000);

const PRICE = 10_000n;

let payee: TestAccount;
let paidTool: X402Seller;
beforeAll(async () => {
  payee = await anAccount();
  paidTool = await startX402Seller('mcp', { ...(await sellerTerms(sharedService(), payee)), price: PRICE });
});
afterAll(() => paidTool.stop());

const keyOf = async ({ id }: TestAccount): Promise<string> =>
  bodyOf(await operator().post('/v1/api_keys', { type: 'agent', account_ids: [id] }), 201).key;

test('an agent pays a paid tool of another MCP server with the payload of POST /v1/payments/authorize', async () => {
  const payer = await anAccount({ usdc: '1' });
  const agent = api(sharedService().baseUrl, await keyOf(payer));
  const before = await chainBalance(payee.tokenAccount);
  const url = `${paidTool.url}/mcp`;
  const client = new Client({ name: 'agent', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const asked = await client.callTool({ name: 'report', arguments: {} });
  expect([asked.isError, asked.structuredContent]).toMatchObject([true, { x402Version: 2, accepts: [{ amount: '10000' }] }]);

  const order = { account_id: payer.id, idempotency_key: randomUUID(), max_amount: '0.02', url, payment_required: asked.structuredContent };
  const { payment_id, payment_payload } = bodyOf(await agent.post('/v1/payments/authorize', order), 200);
  const paid = await client.callTool({ name: 'report', arguments: {}, _meta: { 'x402/payment': payment_payload } });
  await client.close();

  expect([paid.isError ?? false, paid.content, paid._meta?.['x402/payment-response']]).toMatchObject([
    false,
    [{ type: 'text', text: 'the report' }],
    { success: true, transaction: expect.any(String) },
  ]);
  expect((await chainBalance(payee.tokenAccount)) - before).toBe(PRICE);
  await eventually(async () =>
    expect(bodyOf(await agent.get(`/v1/payments/${payment_id}`), 200)).toMatchObject({ status: 'paid_unreceipted', protocol: 'x402' }),
  );
  const receipt = Buffer.from(JSON.stringify(paid._meta?.['x402/payment-response'])).toString('base64');
  expect(bodyOf(await agent.post(`/v1/payments/${payment_id}/receipt`, { receipt }), 200)).toMatchObject({ status: 'paid' });
});
