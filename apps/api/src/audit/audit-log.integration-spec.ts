import { createHash } from 'node:crypto';
import { type DataSource } from 'typeorm';
import { createDataSource } from '#database';
import { canonicalJson } from '#mpp';
import { operatorCaller } from '../../../../test/support/caller';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database';
import { Clock } from '../runtime/clock';
import { AuditLog } from './audit-log';
import type { AuditEntryView } from './audit-log.dto';

let testDatabase: TestDatabase;
let database: DataSource;
let audit: AuditLog;
let operator = '';
let operators = 0;

beforeAll(async () => {
  testDatabase = await createMigratedDatabase();
  database = createDataSource({ url: testDatabase.url, applicationName: 'audit test', entities: [] });
  await database.initialize();
  audit = new AuditLog(database, new Clock());
});
afterAll(async () => {
  await database.destroy();
  await testDatabase.drop();
});
beforeEach(async () => {
  operator = `op_${operators++}`;
  await database.query(`INSERT INTO operators (id, name, chain_key, chain_key_sealed) VALUES ($1, 'o', $1, 's')`, [operator]);
});

const caller = () => operatorCaller(operator);
const entries = async (): Promise<AuditEntryView[]> => (await audit.list(operator, { limit: 100 })).data;
const renamed = (to: string) => ({ action: 'account.changed', object: 'acct_1', before: { name: 'a' }, after: { name: to } }) as const;

/** The hash of an entry, as the API describes it. */
function hashOf({ hash: _hash, ...entry }: AuditEntryView): string {
  return createHash('sha256').update(canonicalJson(entry)).digest('hex');
}

test('the hash of an entry is the SHA-256 of its canonical JSON without the hash', async () => {
  await audit.record(caller(), renamed('Zoë "quoted" {,"request_id":null'));
  await audit.record({ operatorId: operator, type: 'service' }, { action: 'operator.created', object: operator });
  expect((await entries()).map(({ hash }) => hash)).toEqual((await entries()).map(hashOf));
});

test('fifty entries recorded at once are one chain', async () => {
  await Promise.all(Array.from({ length: 50 }, (_, index) => audit.record(caller(), renamed(String(index)))));
  const chain = await entries();
  expect(chain.map(({ previous_hash }) => previous_hash)).toEqual([...chain.slice(1).map(({ hash }) => hash), null]);
});

test('an entry is written in the transaction of its change, and is gone when that rolls back', async () => {
  const failing = database.transaction(async (manager) => {
    await audit.record(caller(), renamed('b'), manager);
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  expect(await entries()).toEqual([]);
});

test.each(['UPDATE audit_log SET action = action', 'DELETE FROM audit_log', 'TRUNCATE audit_log'])(
  'PostgreSQL refuses %s',
  async (statement) => {
    await audit.record(caller(), renamed('b'));
    await expect(database.query(statement)).rejects.toThrow('append-only');
  },
);

test('entries of another operator are another chain', async () => {
  await audit.record(caller(), renamed('b'));
  expect((await audit.list('op_other', { limit: 20 })).data).toEqual([]);
});

test('the log is listed page by page, newest first, and filtered by actor and action', async () => {
  for (const name of ['b', 'c', 'd']) await audit.record(caller(), renamed(name));
  await audit.record({ ...caller(), keyId: 'key_2' }, { action: 'provider.pinned', object: 'example.com' });
  const { cursor, data } = await audit.list(operator, { limit: 2 });
  expect(data.map(({ action }) => action)).toEqual(['provider.pinned', 'account.changed']);
  const next = await audit.list(operator, { limit: 2, cursor: Buffer.from(cursor ?? '', 'base64url').toString() });
  expect(next).toMatchObject({ data: [{ after: { name: 'c' } }, { after: { name: 'b' } }], has_more: false });
  expect((await audit.list(operator, { limit: 9, actor: 'key_2' })).data).toHaveLength(1);
  expect((await audit.list(operator, { limit: 9, object: 'example.com' })).data).toHaveLength(1);
  expect((await audit.list(operator, { limit: 9, action: 'account.changed' })).data).toHaveLength(3);
});

test('since is exclusive and until inclusive', async () => {
  await audit.record(caller(), renamed('b'));
  const [{ at } = { at: '' }] = await entries();
  expect((await audit.list(operator, { limit: 9, since: at })).data).toEqual([]);
  expect((await audit.list(operator, { limit: 9, until: at })).data).toHaveLength(1);
});
