import { request } from 'node:http';
import { connectMcp } from '../../support/mcp';
import { sharedService } from '../../support/service';
import { anAccount, bodyOf, operator } from '../../support/world';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

let key: string;
let keyId: string;
beforeAll(async () => {
  const { id } = await anAccount();
  ({ key, key_id: keyId } = bodyOf(await operator().post('/v1/api_keys', { type: 'agent', account_ids: [id] }), 201));
});

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}
interface Answered {
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

/** By node:http, because fetch does not let a test choose Host and Origin. */
const send = ({ method = 'POST', headers = {}, body = JSON.stringify(INITIALIZE) }: Sent = {}): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const sent = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers };
    const call = request(new URL('/mcp', sharedService().baseUrl), { method, headers: sent }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => void (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    call.on('error', reject);
    call.end(method === 'POST' ? body : undefined);
  });
const withKey = (headers: Record<string, string> = {}): Record<string, string> => ({ Authorization: `Bearer ${key}`, ...headers });

test('POST /mcp answers initialize to an agent key, without a session', async () => {
  const { status, headers, body } = await send({ headers: withKey({ 'X-Request-Id': 'mcp-1' }) });
  expect([status, headers['mcp-session-id'], headers['x-request-id']]).toEqual([200, undefined, 'mcp-1']);
  expect(body).toContain('"name":"agent-payment-service"');
});

test.each([
  ['no key', {}],
  ['a malformed key', { Authorization: 'Bearer nonsense' }],
  ['an unknown key', { Authorization: `Bearer aps_ag_${'1'.repeat(43)}` }],
  ['a cookie of the dashboard', { Cookie: 'aps_session=1' }],
])('POST /mcp is 401 with WWW-Authenticate with %s', async (_what, headers) => {
  const answer = await send({ headers });
  expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, expect.stringMatching(/^Bearer/)]);
});

test('POST /mcp is 403 with an operator key', async () => {
  const { status, body } = await send({ headers: { Authorization: `Bearer ${sharedService().operatorKey}` } });
  expect([status, JSON.parse(body).error]).toEqual([403, 'forbidden']);
});

test.each([
  ['another Origin', { Origin: 'https://evil.example' }, 403],
  ['the Origin null', { Origin: 'null' }, 403],
  ['another Host', { Host: 'evil.example' }, 403],
  ['a local Origin', { Origin: 'http://localhost:5173' }, 200],
  ['the Host localhost', { Host: 'localhost:3000' }, 200],
])('POST /mcp with %s is answered against DNS rebinding', async (_what, headers, status) =>
  expect((await send({ headers: withKey(headers) })).status).toBe(status),
);

test.each(['GET', 'DELETE'])('%s /mcp is 405, because there are no sessions', async (method) => {
  const { status, headers } = await send({ method, headers: withKey() });
  expect([status, headers.allow]).toEqual([405, 'POST']);
});

test.each([
  ['more than 256 KiB', JSON.stringify({ ...INITIALIZE, filler: 'x'.repeat(256 * 1024) }), 413],
  ['no JSON', '{', 400],
  ['a reserved name', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":1}}', 400],
])('POST /mcp with a body of %s is %s', async (_what, body, status) =>
  expect((await send({ headers: withKey(), body })).status).toBe(status),
);

test('a revoked key ends the rights of an MCP client at once, over both transports', async () => {
  const { baseUrl } = sharedService();
  const [http, stdio] = await Promise.all([connectMcp('http', { baseUrl, key }), connectMcp('stdio', { baseUrl, key })]);
  expect([(await http.call('balance')).isError, (await stdio.call('balance')).isError]).toEqual([false, false]);
  await operator().delete(`/v1/api_keys/${keyId}`);
  await expect(http.call('balance')).rejects.toThrow();
  const { isError, content } = await stdio.call('balance');
  expect([isError, content.error]).toEqual([true, 'unauthorized']);
  await Promise.all([http.close(), stdio.close()]);
});

test('the stdio server refuses to act with an operator key', async () => {
  const { baseUrl, operatorKey } = sharedService();
  const { call, close } = await connectMcp('stdio', { baseUrl, key: operatorKey });
  const { isError, content } = await call('balance', { account_id: (await anAccount()).id });
  await close();
  expect([isError, content.message]).toEqual([true, expect.stringMatching(/operator key/)]);
});
