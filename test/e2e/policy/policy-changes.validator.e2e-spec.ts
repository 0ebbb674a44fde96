import bs58 from 'bs58';
import { anAccount, bodyOf, operator, pay, seeded, setPolicy, countByStatus } from '../../support/world';

const LIMITS = ['max_single_transfer', 'max_daily_spend', 'escalation_threshold'];
const put = (id: string, body: unknown, headers: Record<string, string> = {}) => operator().put(`/v1/accounts/${id}/policy`, body, headers);
const policyOf = async (id: string) => bodyOf(await operator().get(`/v1/accounts/${id}/policy`), 200);
/** This many different addresses. */
const addresses = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => bs58.encode(Buffer.from(`${index}`.padStart(32, 'counterparty'))));
test('PUT policy stores 128 counterparties, addresses and account ids mixed, and 32 categories, and returns them as given', async () => {
  const [a, b, c] = [await anAccount({ usdc: '1' }), await anAccount(), await anAccount()];
  const allowed_counterparties = [...addresses(125), b.id, c.tokenAccount, a.address];
  const categories = ['a', 'a'.repeat(32), '0_-', ...Array.from({ length: 29 }, (_, index) => `c-${index}`)];
  expect(new Set(allowed_counterparties).size).toBe(128);
  expect(await setPolicy(a, { allowed_counterparties, categories })).toMatchObject({ allowed_counterparties, categories });
  expect(await policyOf(a.id)).toMatchObject({ allowed_counterparties, categories });
  expect(bodyOf(await operator().get(`/v1/accounts/${a.id}`), 200).policy).toMatchObject({ allowed_counterparties, categories });
  for (const to of [b.id, b.tokenAccount, c.id, c.tokenAccount]) bodyOf(await pay(a, to, '0.01', { category: 'a'.repeat(32) }), 200);
  expect((await pay(a, await anAccount(), '0.01', { category: 'a' })).body.rejection_reason).toBe('allowed_counterparties');
});

test('PUT policy takes effect on chain for the next transfer', async () => {
  const [a, b] = [await anAccount({ usdc: '5' }), await anAccount()];
  for (const limit of [1, 2, 1]) {
    await setPolicy(a, { max_single_transfer: limit });
    expect((await pay(a, b, '1.5')).status).toBe(limit === 1 ? 402 : 200);
  }
});

test('one of ten concurrent PUT policy with the same If-Match succeeds', async () => {
  const { id } = await anAccount();
  const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => put(id, { max_daily_spend: index }, { 'If-Match': '"1"' })));
  expect(countByStatus(answers)).toEqual({ 200: 1, 412: 9 });
  expect((await policyOf(id)).version).toBe(2);
});

describe('pausing by PUT policy', () => {
  test('a pause after a resumption takes effect although an equal pause came before', async () => {
    const [a, b] = [await anAccount({ usdc: '1' }), await anAccount()];
    for (const paused of [true, false, true, false, true]) {
      expect((await setPolicy(a, { paused })).paused).toBe(paused);
      expect((await pay(a, b, '0.000001')).status).toBe(paused ? 402 : 200);
    }
    expect((await policyOf(a.id)).version).toBe(6);
  });
});

describe('concurrent PUT policy', () => {
  test('twenty concurrent PUT policy merge field by field', async () => {
    const random = seeded(20);
    const { id } = await anAccount();
    const others = addresses(20);
    const changes = [
      ...LIMITS.flatMap((field) => Array.from({ length: 5 }, () => ({ [field]: Math.ceil(random() * 1e6) / 1e6 }))),
      { require_memo: true },
      { paused: true },
      { categories: ['data', 'search'] },
      { allowed_counterparties: others.slice(0, 3) },
      { allowed_counterparties: others },
    ].map((change) => ({ change, at: random() }));
    const answers = await Promise.all(changes.sort((one, other) => one.at - other.at).map(({ change }) => put(id, change)));
    expect(countByStatus(answers)).toEqual({ 200: 20 });
    const policy = await policyOf(id);
    expect(policy).toMatchObject({ require_memo: true, paused: true, categories: ['data', 'search'], version: 21 });
    for (const field of LIMITS) expect(changes.map(({ change }) => (change as Record<string, unknown>)[field])).toContain(policy[field]);
    expect([3, 20]).toContain(policy.allowed_counterparties.length);
    expect(new Set(answers.map(({ body }) => body.version)).size).toBeGreaterThan(1);
  });

  test('ten concurrent pauses among other changes all succeed', async () => {
    const { id } = await anAccount();
    const changes = Array.from({ length: 10 }, (_, index) => [put(id, { max_daily_spend: index }), put(id, { paused: true })]).flat();
    expect(countByStatus(await Promise.all(changes))).toEqual({ 200: 20 });
    expect(await policyOf(id)).toMatchObject({ paused: true, version: 21 });
  });
});
