/** A writer of the database who has no key of the service. Each test writes what would make an API key more powerful. */
import { createHash, randomBytes } from 'node:crypto';
import { newId } from '#database';
import { startApp, type TestApp } from '../../../../../test/support/app';
import { Config } from '../../runtime/config';
import { EncryptionService, RowMacs } from '../../secrets';
import { ApiKeyMacs } from './api-key-macs';
import { newSecret, prefixOf } from './api-key-secret';

let service: TestApp;
beforeAll(async () => void (service = await startApp()));
afterAll(() => service.close());

const list = (key: string) => service.send('get', '/v1/api_keys', key);
const write = (text: string, values: unknown[]) => service.database.query(text, values);

/** A key, and its row. */
async function aKey(type: 'operator' | 'agent', more: object = {}): Promise<{ key: string; id: string }> {
  const { body } = await service
    .send('post', '/v1/api_keys')
    .send({ type, ...more })
    .expect(201);
  return { key: body.key, id: body.key_id };
}

test('an API key that was inserted into the database is 401, also with the code of another key', async () => {
  const { id: other } = await aKey('operator');
  for (const mac of ['NULL', `(SELECT mac FROM api_keys WHERE id = '${other}')`, `'\\x00'`]) {
    const secret = newSecret('operator');
    await write(
      `INSERT INTO api_keys (id, operator_id, type, prefix, hash, created_at, mac) VALUES ($1, $2, 'operator', $3, $4, now(), ${mac})`,
      [newId('key'), service.operatorId, prefixOf(secret), createHash('sha256').update(secret).digest()],
    );
    await list(secret).expect(401);
  }
});

test('an API key whose row names the hash of another secret is 401', async () => {
  const { id } = await aKey('operator');
  const secret = newSecret('operator');
  await write('UPDATE api_keys SET prefix = $2, hash = $3 WHERE id = $1', [
    id,
    prefixOf(secret),
    createHash('sha256').update(secret).digest(),
  ]);
  await list(secret).expect(401);
});

test('an agent key that the database calls an operator key is 401', async () => {
  const { key, id } = await aKey('agent', { fleet_ids: undefined, account_ids: [await service.insertAccount()] });
  await list(key).expect(403);
  await write(`UPDATE api_keys SET type = 'operator' WHERE id = $1`, [id]);
  await list(key).expect(401);
});

test('an agent key that the database gives another account is 401', async () => {
  const [first, second] = [await service.insertAccount(), await service.insertAccount()];
  const { key, id } = await aKey('agent', { account_ids: [first] });
  await list(key).expect(403);
  await write('INSERT INTO api_key_accounts (key_id, account_id, operator_id, position) VALUES ($1, $2, $3, 1)', [
    id,
    second,
    service.operatorId,
  ]);
  await list(key).expect(401);
});

test('an API key whose end the database moves is 401', async () => {
  const { key, id } = await aKey('operator', { expires_at: new Date(service.clock.now().getTime() + 60_000).toISOString() });
  await list(key).expect(200);
  await write('UPDATE api_keys SET expires_at = NULL WHERE id = $1', [id]);
  await list(key).expect(401);
});

test('a dashboard session of a row that the database writer inserted is 401', async () => {
  const agent = await aKey('agent', { account_ids: [await service.insertAccount()] });
  const token = randomBytes(32).toString('base64url');
  await write(
    'INSERT INTO browser_sessions (token_hash, key_id, created_at, last_seen_at, expires_at, mac) VALUES ($1, $2, now(), now(), $3, $4)',
    [createHash('sha256').update(token).digest('hex'), agent.id, new Date(Date.now() + 3_600_000), Buffer.alloc(32)],
  );
  await service.send('get', '/v1/api_keys', null).set('X-Dashboard', '1').set('Cookie', `dashboard_session=${token}`).expect(401);
});

test('keys from before there were codes work after they were signed, and forged ones are not signed with them', async () => {
  const [old, forged] = [await aKey('operator'), await aKey('agent', { account_ids: [await service.insertAccount()] })];
  await write('UPDATE api_keys SET mac = NULL WHERE id = $1', [old.id]);
  await write(`UPDATE api_keys SET type = 'operator' WHERE id = $1`, [forged.id]);
  await list(old.key).expect(401);
  const macs = service.app.get(ApiKeyMacs);
  await macs.rewrite();
  await list(old.key).expect(401);
  await macs.rewrite({ areTrusted: true });
  await list(old.key).expect(200);
  await list(forged.key).expect(401);
});

test('the codes of keys are written again under a new OPERATOR_KEY_ENCRYPTION_KEY', async () => {
  const { id } = await aKey('operator');
  const config = service.app.get(Config);
  const next = Object.assign(new Config(), config, {
    OPERATOR_KEY_ENCRYPTION_KEY: randomBytes(32),
    PREVIOUS_OPERATOR_KEY_ENCRYPTION_KEY: config.OPERATOR_KEY_ENCRYPTION_KEY,
  });
  const before = await write('SELECT mac FROM api_keys WHERE id = $1', [id]);
  expect(await new ApiKeyMacs(service.database, new RowMacs(new EncryptionService(next))).rewrite()).toBeGreaterThan(0);
  expect(await write('SELECT mac FROM api_keys WHERE id = $1', [id])).not.toEqual(before);
  const back = Object.assign(new Config(), next, {
    OPERATOR_KEY_ENCRYPTION_KEY: config.OPERATOR_KEY_ENCRYPTION_KEY,
    PREVIOUS_OPERATOR_KEY_ENCRYPTION_KEY: next.OPERATOR_KEY_ENCRYPTION_KEY,
  });
  await new ApiKeyMacs(service.database, new RowMacs(new EncryptionService(back))).rewrite();
  expect(await write('SELECT mac FROM api_keys WHERE id = $1', [id])).toEqual(before);
});
