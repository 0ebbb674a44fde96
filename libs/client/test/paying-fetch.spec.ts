import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AgentPayments, PolicyViolation } from '../src';
import { FakeService } from './fake-service';

const CHALLENGE = 'Payment id="c1", realm="r", method="solana", intent="charge", request="e30"';
const AUTHORIZED = { payment_id: 'pay_1', header: 'Authorization', authorization: 'Payment credential', amount_usdc: '0.010000' };

let service: FakeService;
let provider: FakeService;
let client: AgentPayments;
beforeAll(async () => {
  [service, provider] = await Promise.all([new FakeService().start(), new FakeService().start()]);
  client = new AgentPayments({ apiKey: 'k', baseURL: service.url });
});
afterAll(() => [service, provider].forEach((each) => each.stop()));

const payingFetch = () => client.payingFetch({ account_id: 'acct_1', max_amount: 50_000n });

test('payingFetch leaves a response alone that asks for nothing, and a 402 without a price', async () => {
  for (const reply of [{ body: { free: true } }, { status: 402, body: { error: 'policy_violation' } }]) {
    provider.replyWith(reply);
    service.replyWith({});
    expect(await (await payingFetch()(provider.url)).json()).toEqual(reply.body);
    expect([provider.received.length, service.received.length]).toEqual([1, 0]);
  }
});

test.each([
  ['an MPP challenge', { headers: { 'WWW-Authenticate': CHALLENGE } }, { challenges: [CHALLENGE] }],
  ['an x402 header', { headers: { 'PAYMENT-REQUIRED': 'cmVxdWlyZWQ' } }, { payment_required: 'cmVxdWlyZWQ' }],
  ['an x402 body of version 1', { body: { x402Version: 1, accepts: [] } }, { payment_required: { x402Version: 1, accepts: [] } }],
])('payingFetch meets %s once, with the request as it was, and records the receipt', async (_what, price, asked) => {
  provider.replyWith({ status: 402, ...price }, { headers: { 'Payment-Receipt': 'receipt' }, body: { report: 'fine' } });
  service.replyWith({ body: AUTHORIZED }, { body: { payment_id: 'pay_1' } });
  const url = `${provider.url}/report?city=Lisbon`;
  const response = await payingFetch()(url, { method: 'POST', headers: { 'X-Mine': '1' }, body: '{"a":1}' });
  expect(await response.json()).toEqual({ report: 'fine' });
  expect(provider.received.map(({ method, body, headers }) => [method, body, headers['x-mine'], headers.authorization])).toEqual([
    ['POST', { a: 1 }, '1', undefined],
    ['POST', { a: 1 }, '1', 'Payment credential'],
  ]);
  expect(service.received.map(({ path, body }) => [path, body])).toEqual([
    ['/v1/payments/authorize', { account_id: 'acct_1', max_amount: '0.050000', url, idempotency_key: expect.any(String), ...asked }],
    ['/v1/payments/pay_1/receipt', { receipt: 'receipt' }],
  ]);
});

test('payingFetch asks for the next way to pay after a facilitator refused the program, once and with the same key', async () => {
  const base64 = (object: object): string => Buffer.from(JSON.stringify(object)).toString('base64');
  const refused = 'invalid_exact_svm_smart_wallet_program_not_allowed: Program';
  provider.replyWith(
    { status: 402, headers: { 'PAYMENT-REQUIRED': base64({ accepts: [] }) } },
    { status: 402, headers: { 'PAYMENT-REQUIRED': base64({ accepts: [], error: refused }) } },
    { headers: { 'PAYMENT-RESPONSE': 'receipt' }, body: { report: 'fine' } },
  );
  const first = { ...AUTHORIZED, header: 'payment-signature' };
  service.replyWith({ body: first }, { body: { ...first, authorization: 'next' } }, { body: { payment_id: 'pay_1' } });
  const response = await payingFetch()(provider.url, { method: 'POST', body: '{"a":1}' });
  expect(await response.json()).toEqual({ report: 'fine' });
  expect(provider.received.map(({ body, headers }) => [body, headers['payment-signature']])).toEqual([
    [{ a: 1 }, undefined],
    [{ a: 1 }, 'Payment credential'],
    [{ a: 1 }, 'next'],
  ]);
  const [one, other] = service.received.map(({ body }) => body);
  expect(other).toEqual({ ...one, refused });
});

test('payingFetch throws a decline, and does not call the provider again', async () => {
  provider.replyWith({ status: 402, headers: { 'WWW-Authenticate': CHALLENGE } });
  service.replyWith({ status: 402, body: { error: 'policy_violation', rejection_reason: 'max_amount' } });
  await expect(payingFetch()(provider.url)).rejects.toThrow(PolicyViolation);
  expect(provider.received).toHaveLength(1);
});

test('payingFetch pays a second 402 not again, and returns what was paid for where the receipt cannot be recorded', async () => {
  provider.replyWith({ status: 402, headers: { 'WWW-Authenticate': CHALLENGE } });
  service.replyWith({ body: AUTHORIZED });
  expect((await payingFetch()(provider.url)).status).toBe(402);
  expect([provider.received.length, service.received.length]).toEqual([2, 1]);
  provider.replyWith(
    { status: 402, headers: { 'WWW-Authenticate': CHALLENGE } },
    { headers: { 'Payment-Receipt': 'r' }, body: { report: 1 } },
  );
  service.replyWith({ body: AUTHORIZED }, { status: 400, body: { error: 'invalid_request' } });
  expect(await (await payingFetch()(provider.url)).json()).toEqual({ report: 1 });
});

test('payingFetch returns the body of a paid answer while the provider still writes it', async () => {
  let answer: ServerResponse | undefined;
  const seller = createServer((request, response) => {
    if (request.headers.authorization === undefined) return void response.writeHead(402, { 'WWW-Authenticate': CHALLENGE }).end();
    answer = response;
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Payment-Receipt': 'receipt' }).write('data: one\n\n');
  });
  await new Promise<void>((resolve) => seller.listen(0, '127.0.0.1', resolve));
  service.replyWith({ body: AUTHORIZED }, { body: { payment_id: 'pay_1' } });
  const paid = await payingFetch()(`http://127.0.0.1:${(seller.address() as AddressInfo).port}/events`);
  const reader = paid.body?.getReader();
  const next = async (): Promise<string | undefined> => {
    const { value } = (await reader?.read()) ?? {};
    return value && Buffer.from(value).toString();
  };
  expect(await next()).toBe('data: one\n\n');
  answer?.end('data: two\n\n');
  expect([await next(), await next()]).toEqual(['data: two\n\n', undefined]);
  seller.close();
});
