import { createServer } from 'node:http';
import { Keypair } from '@solana/web3.js';
import { networkNames } from '#x402';
import { api, type Api, type Body } from '../../support/api';
import { startService, type Service } from '../../support/service';
import { anAccount, bodyOf, rpc, setPolicy, type TestAccount } from '../../support/world';
import { listening } from '../../support/listening';

jest.setTimeout(120_000);

let service: Service;
let by: Api;
let payee: TestAccount;
let network: string;
/** Serves catalogues: `pages` by path, each called as the query says. */
const catalogue = {
  url: '',
  calls: [] as string[],
  pages: {} as Record<string, (query: URLSearchParams) => unknown>,
  server: createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://catalogue');
    catalogue.calls.push(request.url ?? '');
    const page = catalogue.pages[pathname]?.(searchParams);
    response.writeHead(page === undefined ? 404 : 200).end(typeof page === 'string' ? page : JSON.stringify(page));
  }),
};
beforeAll(async () => {
  service = await startService();
  by = api(service.baseUrl, service.operatorKey);
  payee = await anAccount({ by });
  network = networkNames(String(await rpc('getGenesisHash', [], service.sandbox.rpc_url))).caip2;
  catalogue.url = await listening(catalogue.server);
});
afterAll(async () => {
  catalogue.server.closeAllConnections();
  catalogue.server.close();
  await service.stop();
});

const offer = (amount: number, changes: Body = {}): Body => ({
  scheme: 'exact',
  network,
  amount: `${amount}`,
  asset: service.sandbox.usdc_mint,
  payTo: payee.address,
  maxTimeoutSeconds: 60,
  extra: { feePayer: sellersKey },
  ...changes,
});
const item = (path: string, accepts: Body[], more: Body = {}): Body => ({
  resource: `https://api.example.com${path}`,
  type: 'http',
  x402Version: 2,
  accepts,
  lastUpdated: '2026-01-01T00:00:00.000Z',
  ...more,
});
const sellersKey = Keypair.generate().publicKey.toBase58();
let paths = 0;
/** Allows a catalogue of these items alone. */
async function list(items: unknown[], more: string[] = []): Promise<void> {
  const path = `/catalogue-${++paths}`;
  catalogue.pages[path] = () => ({ x402Version: 2, items });
  bodyOf(await by.put('/v1/operators/catalogues', { urls: [catalogue.url + path, ...more] }), 200);
}
const found = async (query: string, client = by): Promise<Body[]> => bodyOf(await client.get(`/v1/services?${query}`), 200).data as Body[];
const urlsOf = (services: Body[]): unknown[] => services.map(({ url }) => url);

test('without a catalogue there is no service', async () => {
  const agent = await anAccount({ by, usdc: '1' });
  expect(bodyOf(await by.get('/v1/operators/catalogues'), 200)).toEqual({ urls: [], updated_at: null });
  expect(await found(`account_id=${agent.id}`)).toEqual([]);
});

test('services are listed cheapest first, with the offer of this chain, by words and by price', async () => {
  const agent = await anAccount({ by, usdc: '1' });
  await list([
    item('/dear', [offer(20_000)], { description: 'Weather of Lisbon' }),
    item('/cheap', [offer(10_000), offer(1, { network: 'eip155:8453' })], { description: 'Weather of Porto' }),
    item('/elsewhere', [offer(1, { network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' })]),
    item('/other-token', [offer(1, { asset: payee.address })]),
    item('/malformed', [offer(1, { payTo: 'x' })]),
    { url: 'https://mpp.example.com/', description: 'Maps', amount_usdc: '0.015', payee: payee.address, category: 'data' },
    'no service',
    null,
  ]);
  const all = await found(`account_id=${agent.id}`);
  expect(all).toMatchObject([
    {
      url: 'https://api.example.com/cheap',
      amount_usdc: '0.010000',
      protocol: 'x402',
      method: 'charge',
      provider: 'https://api.example.com',
    },
    { url: 'https://mpp.example.com/', amount_usdc: '0.015000', protocol: 'mpp', method: 'charge', category: 'data', metered: false },
    { url: 'https://api.example.com/dear', amount_usdc: '0.020000', description: 'Weather of Lisbon', category: null },
  ]);
  expect(urlsOf(await found(`account_id=${agent.id}&query=WEATHER%20lisbon`))).toEqual(['https://api.example.com/dear']);
  expect(urlsOf(await found(`account_id=${agent.id}&max_amount=0.01`))).toEqual(['https://api.example.com/cheap']);
  const page = bodyOf(await by.get(`/v1/services?account_id=${agent.id}&limit=2`), 200);
  expect(page).toMatchObject({ has_more: true, data: all.slice(0, 2) });
  expect(await found(`account_id=${agent.id}&limit=2&cursor=${page.cursor}`)).toEqual(all.slice(2));
});

describe('a service that the account could not pay now is not listed', () => {
  test.each<[string, Body, string[]]>([
    ['above its balance', {}, ['/one', '/two']],
    ['above max_single_transfer', { max_single_transfer: 0.02 }, ['/one', '/two']],
    ['above max_daily_spend', { max_daily_spend: 0.019999 }, ['/one']],
    ['at escalation_threshold', { escalation_threshold: 0.02 }, ['/one']],
    ['of a category that its policy does not name', { categories: ['data'] }, []],
    ['while it is paused', { paused: true }, []],
  ])('%s', async (_what, policy, expected) => {
    const agent = await anAccount({ by, usdc: '0.025', policy });
    await list([item('/one', [offer(10_000)]), item('/two', [offer(20_000)]), item('/three', [offer(30_000)])]);
    expect(urlsOf(await found(`account_id=${agent.id}`))).toEqual(expected.map((path) => `https://api.example.com${path}`));
  });

  test('of a host that the account or the key may not pay, and of an unlisted recipient', async () => {
    const agent = await anAccount({ by, usdc: '1' });
    await list([item('/one', [offer(10_000)])]);
    bodyOf(await by.put(`/v1/accounts/${agent.id}/hosts`, { hosts: ['other.example.com'] }), 200);
    expect(await found(`account_id=${agent.id}`)).toEqual([]);
    bodyOf(await by.put(`/v1/accounts/${agent.id}/hosts`, { hosts: ['*.example.com'] }), 200);
    expect(await found(`account_id=${agent.id}`)).toHaveLength(1);
    await setPolicy(agent, { allowed_counterparties: [agent.address] }, by);
    expect(await found(`account_id=${agent.id}`)).toEqual([]);
    await setPolicy(agent, { allowed_counterparties: [payee.address] }, by);
    expect(await found(`account_id=${agent.id}`)).toMatchObject([{ method: 'transfer' }]);
  });
});

test('a catalogue is read page by page, and one that cannot be read is left out', async () => {
  const agent = await anAccount({ by, usdc: '1' });
  const items = [1, 2, 3].map((price) => item(`/${price}`, [offer(price)]));
  catalogue.pages['/paged'] = (query) => {
    const offset = Number(query.get('offset') ?? 0);
    return { x402Version: 2, items: items.slice(offset, offset + 1), pagination: { limit: 1, offset, total: 3 } };
  };
  catalogue.pages['/broken'] = () => '{"items": 7';
  const urls = ['/paged', '/broken', '/missing'].map((path) => catalogue.url + path);
  bodyOf(await by.put('/v1/operators/catalogues', { urls: [...urls, 'http://127.0.0.1:1/'] }), 200);
  expect(urlsOf(await found(`account_id=${agent.id}`))).toEqual([1, 2, 3].map((price) => `https://api.example.com/${price}`));
  const calls = catalogue.calls.length;
  await found(`account_id=${agent.id}`);
  expect(catalogue.calls.length).toBe(calls); // kept for a minute
});

test('an agent finds services for its own account only, and needs not name it if it has one', async () => {
  const [one, other] = [await anAccount({ by, usdc: '1' }), await anAccount({ by, usdc: '1' })];
  await list([item('/one', [offer(10_000)])]);
  const keyOf = async (...ids: string[]) =>
    api(service.baseUrl, String(bodyOf(await by.post('/v1/api_keys', { type: 'agent', account_ids: ids }), 201).key));
  const agent = await keyOf(one.id);
  expect(await found('', agent)).toHaveLength(1);
  expect((await agent.get(`/v1/services?account_id=${other.id}`)).status).toBe(403);
  expect((await (await keyOf(one.id, other.id)).get('/v1/services')).status).toBe(400);
  expect((await by.get('/v1/services')).status).toBe(400);
});

test('catalogues are at most ten URLs that may be called, and their change is audited', async () => {
  const put = (urls: unknown) => by.put('/v1/operators/catalogues', { urls });
  const many = Array.from({ length: 11 }, (_, index) => `https://c${index}.example.com/`);
  for (const urls of [many, ['ftp://example.com/'], ['https://user:secret@example.com/'], 'https://example.com/', null])
    expect((await put(urls)).status).toBe(400);
  expect(bodyOf(await put(many.slice(0, 10)), 200)).toMatchObject({ urls: many.slice(0, 10) });
  bodyOf(await put([]), 200);
  const { data } = bodyOf(await by.get('/v1/audit_log?action=catalogues.changed&limit=1'), 200);
  expect(data).toMatchObject([{ before: { urls: many.slice(0, 10) }, after: { urls: [] } }]);
});
