/** The cost of each route for the API's process at its largest accepted bodies and costliest parameters: a table of CPU-milliseconds a request. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Keypair } from '@solana/web3.js';
import { cpuMs } from '../support/cpu-time';
import { startApart } from '../support/operators';
import { sharedService, type Service } from '../support/service';
import { api } from '../support/api';
import { anAccount } from '../support/world';

jest.setTimeout(1_800_000);

/** Requests of each kind: their number, and how long they may take together. */
const REQUESTS = 12;
const MEASURE_MS = 4_000;
const IDLE_MS = 5_000;
/** CPU time of one request that would be a hang. What is expected is 20 ms. */
const HANG_MS = 2_000;
const KIB = 1024;

interface Operation {
  method: string;
  path: string;
  example: object | undefined;
}

interface OpenApi {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { examples?: Record<string, { value: object }> }> } }>>;
}

const operations: Operation[] = Object.entries(
  (JSON.parse(readFileSync(join(__dirname, '../../docs/openapi.json'), 'utf8')) as OpenApi).paths,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { requestBody }]) => ({
    method: method.toUpperCase(),
    path,
    example: Object.values(requestBody?.content['application/json']?.examples ?? {})[0]?.value,
  })),
);

let service: Service;
let account: string;
let idle: number;
beforeAll(async () => {
  service = await startApart(sharedService(), {
    RATE_LIMIT_PER_KEY: '1000000',
    RATE_LIMIT_PER_ADDRESS: '1000000',
    FEE_BUDGET_PER_ACCOUNT: 'off',
  });
  ({ id: account } = await anAccount({ usdc: '100', by: api(service.baseUrl, service.operatorKey) }));
  await sleep(IDLE_MS);
  const before = cpuMs(service.pid);
  await sleep(IDLE_MS);
  idle = (cpuMs(service.pid) - before) / IDLE_MS;
});
afterAll(() => service.stop());

const named = (count: number, of: (index: number) => unknown): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, of(index)]));
const addresses = (count: number): string[] => Array.from({ length: count }, () => Keypair.generate().publicKey.toBase58());
const manyMembers = named(50, () => 'ü'.repeat(500));

/** The costliest bodies that pass the bounds of one route, or are refused late. */
const COSTLY: Record<string, () => object> = {
  'POST /v1/accounts/bulk': () => ({
    action: 'pause',
    account_ids: Array.from({ length: 10_000 }, (_, index) => `acct_${String(index).padStart(26, '0')}`),
  }),
  'PUT /v1/accounts/{id}/policy': () => ({
    allowed_counterparties: addresses(128),
    categories: Array.from({ length: 32 }, (_, index) => `category-${index}`),
  }),
  'POST /v1/payments/authorize': () => ({
    account_id: account,
    url: 'https://example.com/',
    max_amount: '1',
    idempotency_key: randomUUID(),
    challenges: Array(32).fill(`Payment ${'a="b", '.repeat(280)}`),
  }),
  'POST /v1/payments': () => ({
    account_id: account,
    max_amount: '1',
    idempotency_key: randomUUID(),
    request: { url: 'http://127.0.0.1:9/', method: 'POST', body: 'x'.repeat(200 * KIB) },
  }),
  'POST /v1/signature_requests/{id}': () => ({ transaction: Buffer.alloc(100 * KIB, 1).toString('base64') }),
  'POST /v1/transfers': () => ({
    from: account,
    to: account,
    amount: '1',
    idempotency_key: randomUUID(),
    metadata: manyMembers,
    memo: 'm'.repeat(500),
  }),
};

/** The bodies that every route gets. */
function bodies({ method, path, example }: Operation): [string, string][] {
  const costly = COSTLY[`${method} ${path}`];
  return [
    ...(costly ? [['costly', JSON.stringify(costly())] as [string, string]] : []),
    ...(example ? [['example and metadata', JSON.stringify({ ...example, metadata: manyMembers })] as [string, string]] : []),
    ['one long text', JSON.stringify({ name: 'x'.repeat(255 * KIB) })],
    ['2,000 members', JSON.stringify(named(1_999, (index) => index))],
    ['1,900 levels', `${'{"a":'.repeat(1_900)}1${'}'.repeat(1_900)}`],
    ['escapes', `{"name":"${'\\u00e9'.repeat(42_000)}"}`],
  ];
}

const LONG = 'x'.repeat(1_000);
const QUERIES: [string, string][] = [
  ['all', `?limit=100&label=${Array.from({ length: 16 }, (_, index) => `l${index}`).join('&label=')}`],
  ['none', ''],
  ['long', `?limit=100&name=${LONG}&counterparty=${LONG}&reference=${LONG}&cursor=${LONG}`],
];

async function cost(method: string, path: string, body?: string): Promise<{ ms: number; status: number }> {
  const url =
    service.baseUrl +
    path
      .replace('/accounts/{id}', `/accounts/${account}`)
      .replace('{host}', 'example.com')
      .replace('{id}', 'tr_00000000000000000000000000');
  const headers = {
    Authorization: `Bearer ${service.operatorKey}`,
    'Dry-Run': 'true',
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
  const [began, before] = [performance.now(), cpuMs(service.pid)];
  let [status, count] = [0, 0];
  while (count < REQUESTS && performance.now() - began < MEASURE_MS) {
    const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
    await response.arrayBuffer();
    ({ status } = response);
    count++;
  }
  return { ms: Math.max(0, cpuMs(service.pid) - before - idle * (performance.now() - began)) / count, status };
}

const isGet = ({ method }: Operation): boolean => method === 'GET';
/** Routes that end objects which the other routes need. */
const SKIPPED = new Set(['POST /v1/operators/rotate_key', 'POST /v1/accounts/{id}/close', 'POST /v1/sandbox/clock']);

(process.platform === 'linux' ? test : test.skip)('no request costs the API’s process more than a hang would', async () => {
  const rows: { ms: number; line: string }[] = [];
  for (const operation of operations.filter(({ method, path }) => !SKIPPED.has(`${method} ${path}`))) {
    const kinds: [string, string, string | undefined][] = isGet(operation)
      ? QUERIES.map(([kind, query]) => [kind, operation.path + query, undefined])
      : bodies(operation).map(([kind, body]) => [kind, operation.path, body]);
    for (const [kind, path, body] of kinds) {
      const { ms, status } = await cost(operation.method, path, body);
      rows.push({ ms, line: `${ms.toFixed(1).padStart(7)} ms  ${status}  ${operation.method} ${operation.path} (${kind})` });
      expect(status).toBeLessThan(500);
    }
  }
  rows.sort((one, other) => other.ms - one.ms);
  process.stdout.write(
    `CPU of the API’s process a request, ${rows.length} kinds, the costliest 40:\n${rows
      .slice(0, 40)
      .map(({ line }) => line)
      .join('\n')}\n`,
  );
  expect(rows[0]?.ms).toBeLessThan(HANG_MS);
});
