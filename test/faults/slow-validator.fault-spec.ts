import { api, type Api } from '../support/api';
import { ChainProxy } from '../support/chain-proxy';
import { startApart } from '../support/operators';
import { sharedService, type Service } from '../support/service';
import { SlowReads } from '../support/slow-reads';
import { anAccount, balanceOf, fund, bodyOf, order, setPolicy } from '../support/world';

jest.setTimeout(180_000);

const CREATED_AT_ONCE = 17;

describe.each<[string, { lagMs: number; refusesSlot: boolean }]>([
  ['rejects a slot that its reads have not reached', { lagMs: 4_000, refusesSlot: true }],
  ['returns accounts of two seconds ago', { lagMs: 2_000, refusesSlot: false }],
])('a validator that confirms a transaction and then %s', (_how, slowness) => {
  let proxy: ChainProxy;
  let service: Service;
  let operator: Api;
  let reads: SlowReads;
  beforeAll(async () => {
    const shared = sharedService();
    proxy = await ChainProxy.start(shared.sandbox);
    service = await startApart(shared, { SOLANA_RPC_URL: proxy.url, SOLANA_WS_URL: proxy.webSocketUrl, ALLOW_PRIVATE_URLS: 'true' });
    operator = api(service.baseUrl, service.operatorKey);
    reads = new SlowReads(slowness);
    proxy.slowReads = reads;
  });
  beforeEach(() => (reads.count = 0));
  afterEach(() => expect(reads.count).toBeGreaterThan(0));
  afterAll(async () => {
    await service.stop();
    await proxy.down();
  });

  const parties = () => Promise.all([anAccount({ usdc: '100', by: operator }), anAccount({ by: operator })]);

  test(`${CREATED_AT_ONCE} accounts created concurrently on a slow validator answer 201 and show their policy`, async () => {
    const accounts = await Promise.all(Array.from({ length: CREATED_AT_ONCE }, () => anAccount({ by: operator })));
    for (const { id } of accounts) bodyOf(await operator.get(`/v1/accounts/${id}/policy`), 200);
  });

  test('a policy change on a slow validator answers 200 with the changed policy, twice in a row', async () => {
    const a = await anAccount({ by: operator });
    expect(await setPolicy(a, { max_daily_spend: 5 }, operator)).toMatchObject({ max_daily_spend: 5, version: 2 });
    expect(await setPolicy(a, { max_daily_spend: 6 }, operator)).toMatchObject({ max_daily_spend: 6, version: 3 });
  });

  test('a transfer of money from the faucet on a slow validator settles in one call', async () => {
    const [a, b] = await parties();
    await fund(a, '50', operator);
    expect(bodyOf(await operator.post('/v1/transfers', order(a, b, '120')), 200)).toMatchObject({ status: 'settled' });
    expect(await balanceOf(b, operator)).toBe('120.000000');
  });

  test('a session on a slow validator opens, is topped up and closes, each in one call', async () => {
    const [a, payee] = await parties();
    const session = { account_id: a.id, provider: 'http://127.0.0.1:9', payee: payee.address, cap: '1', idempotency_key: 's-1' };
    const { session_id: id } = bodyOf(await operator.post('/v1/sessions', session), 201);
    expect(bodyOf(await operator.post(`/v1/sessions/${id}/top_up`, { amount: '2', idempotency_key: 't-1' }), 201)).toMatchObject({
      cap_usdc: '3.000000',
    });
    expect(bodyOf(await operator.post(`/v1/sessions/${id}/close`), 200)).toMatchObject({ returned_usdc: '3.000000' });
  });
});
