import { createHash } from 'node:crypto';
import { api } from '../../support/api';
import { sharedService } from '../../support/service';
import { anAccount, bodyOf, invalidFields, operator, pay, setPolicy, stranger } from '../../support/world';

interface Entry {
  id: string;
  actor: { type: string; key_id: string | null };
  action: string;
  object: string;
  before: object | null;
  after: object | null;
  request_id: string;
  hash: string;
  previous_hash: string | null;
}

/** The entries about an object, newest first. */
async function entriesOf(object: string, query = ''): Promise<Entry[]> {
  return bodyOf(await operator().get(`/v1/audit_log?limit=100&object=${object}${query}`), 200).data;
}
const ownKey = async (): Promise<string> => bodyOf(await operator().get('/v1/me'), 200).key_id;

describe('GET /v1/audit_log', () => {
  test('a changed policy is recorded with the changed fields, the key and the request', async () => {
    const { id } = await anAccount();
    await setPolicy({ id }, { max_daily_spend: 10 });
    const changed = await operator().put(`/v1/accounts/${id}/policy`, { max_daily_spend: 25.5, categories: ['data'] });
    const [entry] = await entriesOf(id);
    expect(entry).toMatchObject({
      action: 'policy.changed',
      actor: { type: 'operator', key_id: await ownKey() },
      before: { max_daily_spend: 10, categories: null },
      after: { max_daily_spend: 25.5, categories: ['data'] },
      request_id: changed.headers.get('x-request-id'),
    });
  });

  test('a dry run and a refused change of a policy are not recorded', async () => {
    const { id } = await anAccount();
    await operator().put(`/v1/accounts/${id}/policy`, { max_daily_spend: 1 }, { 'Dry-Run': 'true' });
    expect((await operator().put(`/v1/accounts/${id}/policy`, { max_daily_spend: 1 }, { 'If-Match': '"99"' })).status).toBe(412);
    expect((await entriesOf(id)).map(({ action }) => action)).toEqual(['account.created']);
  });

  test('accounts, keys, webhooks and providers are recorded from creation to removal, without secrets', async () => {
    const { id } = await anAccount();
    await operator().patch(`/v1/accounts/${id}`, { name: 'renamed' });
    const key = bodyOf(await operator().post('/v1/api_keys', { type: 'agent', account_ids: [id] }), 201);
    await operator().delete(`/v1/api_keys/${key.key_id}`);
    const webhook = bodyOf(await operator().post('/v1/webhooks', { url: 'https://example.com/hook' }), 201);
    await operator().patch(`/v1/webhooks/${webhook.webhook_id}`, { status: 'paused' });
    await operator().post(`/v1/webhooks/${webhook.webhook_id}/rotate_secret`, {});
    await operator().delete(`/v1/webhooks/${webhook.webhook_id}`);
    const host = `${id.slice(-8)}.example.com`;
    await operator().put(`/v1/providers/${host}`, { payee: '7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2' });
    await operator().delete(`/v1/providers/${host}`);
    const actionsOf = async (object: string) => (await entriesOf(object)).map(({ action }) => action).reverse();
    expect(await actionsOf(id)).toEqual(['account.created', 'account.changed']);
    expect(await actionsOf(key.key_id)).toEqual(['api_key.created', 'api_key.revoked']);
    expect(await actionsOf(webhook.webhook_id)).toEqual([
      'webhook.created',
      'webhook.changed',
      'webhook.secret_rotated',
      'webhook.deleted',
    ]);
    expect(await actionsOf(host)).toEqual(['provider.pinned', 'provider.unpinned']);
    const log = JSON.stringify(bodyOf(await operator().get('/v1/audit_log?limit=100'), 200));
    expect([key.key, webhook.secret].filter((secret) => log.includes(secret))).toEqual([]);
  });

  test('approving and denying are recorded once each, with the amount; a decision that came too late is not', async () => {
    const account = await anAccount({ usdc: '10', policy: { escalation_threshold: 1 } });
    const to = await anAccount();
    const [approved, denied] = [await pay(account, to, '1'), await pay(account, to, '2')].map(({ body }) => body.transfer_id);
    bodyOf(await operator().post(`/v1/transfers/${approved}/approve`, {}), 200);
    bodyOf(await operator().post(`/v1/transfers/${denied}/deny`, { reason: 'no budget' }), 200);
    expect((await operator().post(`/v1/transfers/${denied}/approve`, {})).status).toBe(409);
    expect(await entriesOf(approved)).toMatchObject([{ action: 'transfer.approved', after: { amount_usdc: '1.000000' } }]);
    expect(await entriesOf(denied)).toMatchObject([{ action: 'transfer.denied', after: { amount_usdc: '2.000000', reason: 'no budget' } }]);
  });

  test('the entries that the API lists are one chain of hashes', async () => {
    const { data } = bodyOf(await operator().get('/v1/audit_log?limit=100'), 200);
    const sorted = (value: unknown): unknown =>
      value === null || typeof value !== 'object' || Array.isArray(value)
        ? value
        : Object.fromEntries(
            Object.entries(value)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([name, each]) => [name, sorted(each)]),
          );
    const hashOf = ({ hash: _hash, ...entry }: Entry) =>
      createHash('sha256')
        .update(JSON.stringify(sorted(entry)))
        .digest('hex');
    expect(data.map(hashOf)).toEqual(data.map(({ hash }: Entry) => hash));
    expect(data.slice(0, -1).map(({ previous_hash }: Entry) => previous_hash)).toEqual(data.slice(1).map(({ hash }: Entry) => hash));
  });

  test('another operator sees nothing of it, and an agent key may not read it', async () => {
    const { id } = await anAccount();
    const { data } = bodyOf(await stranger().get('/v1/audit_log?limit=100'), 200);
    expect(data.filter(({ object }: Entry) => object === id)).toEqual([]);
    const { key } = bodyOf(await operator().post('/v1/api_keys', { type: 'agent', account_ids: [id] }), 201);
    expect((await api(sharedService().baseUrl, key).get('/v1/audit_log')).status).toBe(403);
  });

  test('actor and action filter the log, and bad filters are named', async () => {
    const { id } = await anAccount();
    expect((await entriesOf(id, `&action=account.created&actor=${await ownKey()}`)).map(({ action }) => action)).toEqual([
      'account.created',
    ]);
    expect(await entriesOf(id, '&actor=key_nobody')).toEqual([]);
    expect(invalidFields(await operator().get('/v1/audit_log?action=x&since=x&cursor=x&limit=0'))).toEqual([
      'since',
      'action',
      'limit',
      'cursor',
    ]);
  });
});
