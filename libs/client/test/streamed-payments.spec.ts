import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AgentPayments, PolicyViolation } from '../src';

const params = { account_id: 'acct_1', max_amount: 50_000n, request: { method: 'GET', url: 'https://api.example.com/' } } as const;

let answer: (response: ServerResponse, body: unknown) => void;
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  answer(response, JSON.parse(Buffer.concat(chunks).toString()));
});
let client: AgentPayments;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  client = new AgentPayments({ apiKey: 'k', baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test('payments.stream asks for the answer as it comes, and returns it while it is written', async () => {
  const asked = new Promise<[ServerResponse, unknown]>((resolve) => {
    answer = (response, body) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Payment-Id': 'pay_1', 'Payment-Status': 'paid' }).write('one');
      resolve([response, body]);
    };
  });
  const response = await client.payments.stream(params);
  const [written, body] = await asked;
  expect(body).toMatchObject({ max_amount: '0.050000', idempotency_key: expect.any(String), request: { ...params.request, stream: true } });
  expect([response.headers.get('Payment-Id'), response.headers.get('Payment-Status')]).toEqual(['pay_1', 'paid']);
  const reader = response.body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('one');
  written.end('two');
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('two');
});

test('payments.stream throws a decline', async () => {
  answer = (response) =>
    void response
      .writeHead(402, { 'Content-Type': 'application/json' })
      .end('{"error":"policy_violation","rejection_reason":"max_amount"}');
  await expect(client.payments.stream(params)).rejects.toThrow(PolicyViolation);
});
