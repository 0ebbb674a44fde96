import { randomUUID } from 'node:crypto';
import { type Api, type Answer, api, type Body } from '../../support/api';
import { anOutsider, type Outsider } from '../../support/outsider';
import { startRogueProvider, type RogueProvider } from '../../support/rogue-provider';
import { sharedService } from '../../support/service';
import { anAccount, anAgent, bodyOf, invalidFields, operator, query, stranger, type TestAccount } from '../../support/world';

let payee: Outsider;
let provider: RogueProvider;
let host: string;
beforeAll(async () => {
  payee = await anOutsider();
  provider = await startRogueProvider(payee.owner);
  host = new URL(provider.url).host;
});
beforeEach(() => {
  provider.price = 10_000n;
  provider.behave();
});
afterAll(() => provider.stop());

const put = ({ id }: TestAccount, hosts: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  operator().put(`/v1/accounts/${id}/hosts`, { hosts }, headers);
const payment = ({ id }: TestAccount): Body => ({
  account_id: id,
  idempotency_key: randomUUID(),
  max_amount: '1',
  open_session: { cap: '0.05' },
  request: { method: 'GET', url: `${provider.url}/data` },
});
const session = ({ id }: TestAccount): Body => ({
  account_id: id,
  provider: provider.url,
  payee: payee.owner,
  cap: '0.05',
  idempotency_key: randomUUID(),
});
const purse = ({ id }: TestAccount): Body => ({ account_id: id, amount: '0.05', host: 'other.example', idempotency_key: randomUUID() });
const declined = { error: 'policy_violation', rejection_reason: 'allowed_hosts' };
const agentWith = async ({ id }: TestAccount, allowed_hosts: string[]): Promise<Api> =>
  api(sharedService().baseUrl, bodyOf(await operator().post('/v1/api_keys', { type: 'agent', account_ids: [id], allowed_hosts }), 201).key);

describe('PUT /v1/accounts/:id/hosts', () => {
  test('sets, shows and removes the list, in lower case', async () => {
    const account = await anAccount();
    expect(bodyOf(await operator().get(`/v1/accounts/${account.id}/hosts`), 200)).toEqual({
      account_id: account.id,
      hosts: null,
      updated_at: null,
    });
    expect(bodyOf(await put(account, ['API.Example.com', '*.Example.org:8443']), 200)).toEqual({
      account_id: account.id,
      hosts: ['api.example.com', '*.example.org:8443'],
      updated_at: expect.any(String),
    });
    expect(bodyOf(await put(account, null), 200)).toMatchObject({ hosts: null, updated_at: expect.any(String) });
  });

  test('a dry run changes nothing and says what would change', async () => {
    const account = await anAccount();
    expect(bodyOf(await put(account, [], { 'Dry-Run': 'true' }), 200)).toMatchObject({
      dry_run: true,
      hosts: [],
      changes: ['The hosts that it may pay change from all to none.'],
    });
    expect(bodyOf(await operator().get(`/v1/accounts/${account.id}/hosts`), 200).hosts).toBeNull();
  });

  test.each([
    [undefined, 'hosts'],
    ['api.example.com', 'hosts'],
    [['https://api.example.com'], 'hosts[0]'],
    [['api.example.com/path'], 'hosts[0]'],
    [['*'], 'hosts[0]'],
    [['a.*.com'], 'hosts[0]'],
    [['api.example.com', 'API.example.com'], 'hosts[1]'],
    [Array.from({ length: 101 }, (_, index) => `h${index}.example`), 'hosts'],
  ])('%j is 400', async (hosts, field) => expect(invalidFields(await put(await anAccount(), hosts))).toEqual([field]));

  test('100 hosts are taken', async () =>
    bodyOf(
      await put(
        await anAccount(),
        Array.from({ length: 100 }, (_, index) => `h${index}.example`),
      ),
      200,
    ));

  test('an agent may neither read nor set it, and another operator finds no account', async () => {
    const account = await anAccount();
    const path = `/v1/accounts/${account.id}/hosts`;
    const agent = await anAgent(account);
    expect([(await agent.get(path)).status, (await agent.put(path, { hosts: null })).status]).toEqual([403, 403]);
    expect([(await stranger().get(path)).status, (await stranger().put(path, { hosts: null })).status]).toEqual([404, 404]);
  });
});

describe('allowed_hosts of an account', () => {
  test('a payment to another host is declined before any request leaves, and first of all rules', async () => {
    const account = await anAccount({ usdc: '1', policy: { paused: true } });
    await put(account, ['api.example.com']);
    const before = provider.calls.length;
    const answer = await operator().post('/v1/payments', payment(account));
    expect(bodyOf(answer, 402)).toMatchObject({
      ...declined,
      payment_id: expect.stringMatching(/^pay_/),
      policy: { rule: 'allowed_hosts', allowed: ['api.example.com'], enforced_by: 'service' },
    });
    expect(provider.calls).toHaveLength(before);
    const { data } = bodyOf(await operator().get(`/v1/accounts/${account.id}/transactions?type=rejection`), 200);
    expect(data).toMatchObject([{ type: 'rejection', rejection_reason: 'allowed_hosts', amount_usdc: '0.000000' }]);
  });

  test('a payment to a listed host is paid', async () => {
    const account = await anAccount({ usdc: '1' });
    await put(account, [host]);
    expect(bodyOf(await operator().post('/v1/payments', payment(account)), 200).status).toBe('paid');
  });

  test('authorize of another host is declined with the amount that was asked', async () => {
    const account = await anAccount({ usdc: '1' });
    await put(account, []);
    const challenges = [provider.charge()];
    const body = { account_id: account.id, idempotency_key: randomUUID(), max_amount: '1', url: `${provider.url}/data`, challenges };
    expect(bodyOf(await operator().post('/v1/payments/authorize', body), 402)).toMatchObject({ ...declined, policy: { allowed: [] } });
    // The deposit is recorded at any time.
    const { data } = bodyOf(await operator().get(`/v1/accounts/${account.id}/transactions?type=rejection`), 200);
    expect(data).toMatchObject([{ rejection_reason: 'allowed_hosts', amount_usdc: '0.010000' }]);
  });

  test.each([
    ['/v1/sessions', session],
    ['/v1/purses', purse],
  ])('an opening by POST %s for another host is declined, also when it waits for an approval', async (path, body) => {
    const account = await anAccount({ usdc: '1', policy: { escalation_threshold: 0 } });
    const waiting = bodyOf(await operator().post(path, body(account)), 202);
    await put(account, ['api.example.com']);
    expect(bodyOf(await operator().post(path, body(account)), 402)).toMatchObject(declined);
    expect(bodyOf(await operator().post(path, body(account), { 'Dry-Run': 'true' }), 200)).toMatchObject({
      allowed: false,
      decline: { ...declined, http_status: 402 },
    });
    const id = waiting.session_id ?? waiting.purse_id;
    expect(bodyOf(await operator().post(`${path}/${id}/approve`), 402)).toMatchObject(declined);
  });

  test('a dry run of a payment to another host calls nobody', async () => {
    const account = await anAccount({ usdc: '1' });
    await put(account, []);
    const before = provider.calls.length;
    const dry = bodyOf(await operator().post('/v1/payments', payment(account), { 'Dry-Run': 'true' }), 200);
    expect(dry).toMatchObject({ allowed: false, quotes: [], decline: { ...declined, http_status: 402 } });
    expect(provider.calls).toHaveLength(before);
  });

  test('a database writer that lifts the list stops all payments of the account', async () => {
    const account = await anAccount({ usdc: '1' });
    await put(account, []);
    await query('UPDATE accounts SET allowed_hosts = NULL WHERE id = $1', [account.id]);
    expect(bodyOf(await operator().post('/v1/payments', payment(account)), 402)).toMatchObject(declined);
    expect((await put(account, null)).status).toBe(409);
  });
});

describe('allowed_hosts of an agent key', () => {
  test('bind the key, and not the account', async () => {
    const account = await anAccount({ usdc: '1' });
    const agent = await agentWith(account, ['*.example.com']);
    expect(bodyOf(await agent.post('/v1/payments', payment(account)), 402)).toMatchObject({
      ...declined,
      policy: { allowed: ['*.example.com'], enforced_by: 'service' },
    });
    expect(bodyOf(await agent.post('/v1/sessions', session(account)), 402)).toMatchObject(declined);
    expect(bodyOf(await operator().post('/v1/payments', payment(account)), 200).status).toBe('paid');
  });

  test('are shown with the key, and refused for an operator key', async () => {
    const account = await anAccount();
    const agent = await agentWith(account, ['Api.example.com']);
    const { key_id } = bodyOf(await agent.get('/v1/me'), 200);
    const { data } = bodyOf(await operator().get('/v1/api_keys?limit=100'), 200);
    expect(data).toContainEqual(expect.objectContaining({ key_id, account_ids: [account.id], allowed_hosts: ['api.example.com'] }));
    expect(invalidFields(await operator().post('/v1/api_keys', { type: 'operator', allowed_hosts: [] }))).toEqual(['allowed_hosts']);
  });

  test('a database writer that widens them ends the key', async () => {
    const account = await anAccount({ usdc: '1' });
    const agent = await agentWith(account, []);
    await query(`UPDATE api_keys SET allowed_hosts = NULL WHERE id = $1`, [bodyOf(await agent.get('/v1/me'), 200).key_id]);
    expect((await agent.post('/v1/payments', payment(account))).status).toBe(401);
  });
});
