import { TypeOrmModule } from '@nestjs/typeorm';
import { LocalSigner, SignatureRequiredError } from '#chain';
import { startApp, type TestApp } from '../../../../test/support/app';
import type { Caller } from '../http/caller';
import { RowMacs } from '../secrets';
import { SignatureRequired } from './operator-action';
import { SignatureRequest } from './signature-request.entity';
import { SignatureRequestsStore } from './signature-requests.store';

let service: TestApp;
let store: SignatureRequestsStore;
let caller: Caller;
beforeAll(async () => {
  service = await startApp({ imports: [TypeOrmModule.forFeature([SignatureRequest])] });
  store = new SignatureRequestsStore(service.database, service.clock, service.config, service.app.get(RowMacs));
  caller = {
    operatorId: service.operatorId,
    keyId: 'key_1',
    type: 'operator',
    accountIds: null,
    allowedHosts: null,
    requestId: 'r',
    ip: null,
  };
});
afterAll(() => service.close());
afterEach(() => service.database.query('DELETE FROM signature_requests'));

const { signer } = LocalSigner.generate();
const required = (byte = 1) =>
  new SignatureRequired(new SignatureRequiredError({ bytes: Buffer.alloc(8, byte), lastValidBlockHeight: 9 }, signer.address), { seq: 7n });
const ask = (parameters: object, byte?: number) =>
  store.ask(caller, { action: 'policy.change', parameters, accountId: null, summary: ['one'] }, required(byte));
const idsWith = async (status: 'pending' | 'expired' | 'completed') =>
  (await store.list(caller.operatorId, { status, limit: 10 })).map(({ id }) => id);

test('a request is pending until 50 seconds have passed, then expired, and completed once it has an answer', async () => {
  const { id } = await ask({ a: 1 });
  service.clock.advance({ seconds: 49 });
  expect([await idsWith('pending'), await idsWith('expired')]).toEqual([[id], []]);
  service.clock.advance({ seconds: 1 });
  expect([await idsWith('pending'), await idsWith('expired')]).toEqual([[], [id]]);
  await store.complete(id, { status: 200, headers: {}, body: {} });
  expect([await idsWith('expired'), await idsWith('completed')]).toEqual([[], [id]]);
});

test('an open request of the same action and parameters keeps its transaction until it expires', async () => {
  const first = await ask({ a: 1, b: 2 }, 1);
  expect(await ask({ b: 2, a: 1 }, 2)).toMatchObject({ id: first.id, unsignedTransaction: Buffer.alloc(8, 1), seq: 7n });
  service.clock.advance({ seconds: 50 });
  expect(await ask({ a: 1, b: 2 }, 3)).toMatchObject({ id: first.id, unsignedTransaction: Buffer.alloc(8, 3) });
  expect((await ask({ a: 1, b: 3 })).id).not.toBe(first.id);
});

test('a request is claimed by one of two at the same time, and again once it is released', async () => {
  const { id } = await ask({ a: 1 });
  const claims = await Promise.all([store.claim(id, Buffer.alloc(64)), store.claim(id, Buffer.alloc(64))]);
  expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
  await store.release(id);
  expect(await store.claim(id, null)).toMatchObject({ id, signature: Buffer.alloc(64) });
});

test('a completed request is not claimed again, and the same action makes a new one', async () => {
  const { id } = await ask({ a: 1 });
  await store.complete(id, { status: 200, headers: { ETag: '"2"' }, body: { version: 2 } });
  expect(await store.claim(id, Buffer.alloc(64))).toBeUndefined();
  expect(await store.findOf(caller.operatorId, id)).toMatchObject({ answerStatus: 200, answerBody: { version: 2 } });
  expect((await ask({ a: 1 })).id).not.toBe(id);
});

test('requests are deleted 30 days after they expired', async () => {
  const { id } = await ask({ a: 1 });
  service.clock.advance({ seconds: 30 * 86_400 + 49 });
  await store.deleteOld();
  expect(await store.findOf(caller.operatorId, id)).toBeDefined();
  service.clock.advance({ seconds: 2 });
  await store.deleteOld();
  expect(await store.findOf(caller.operatorId, id)).toBeUndefined();
});

test.each([
  ['parameters', `parameters = '{"a": 2}'`],
  ['action', `action = 'account.close'`],
  ['transaction', `unsigned_transaction = '\\x01'`],
  ['nonce', 'seq = 8'],
  ['policy version', 'policy_version = 9'],
  ['signer', `signer = 'other'`],
  ['authority', `authority_key = 'other', authority_key_sealed = 'other'`],
  ['code', `mac = '\\x00'`],
])('a request whose %s a database writer changed does not exist, and is not claimed', async (_what, change) => {
  const { id } = await ask({ a: 1 });
  await service.database.query(`UPDATE signature_requests SET ${change} WHERE id = $1`, [id]);
  expect(await store.findOf(caller.operatorId, id)).toBeUndefined();
  expect(await store.claim(id, Buffer.alloc(64))).toBeUndefined();
  expect(await idsWith('pending')).toEqual([]);
});

test('a request that a database writer inserted does not exist, also with the code of another one', async () => {
  const { id } = await ask({ a: 1 });
  const copied = 'operator_id, account_id, action, summary, signer, unsigned_transaction, last_valid_block_height, expires_at, seq, mac';
  const rest = 'created_by, created_at';
  await service.database.query(
    `INSERT INTO signature_requests (id, parameters, parameters_hash, ${copied}, ${rest})
     SELECT $2, '{"a": 3}', '\\x03', ${copied}, ${rest} FROM signature_requests WHERE id = $1`,
    [id, `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`],
  );
  expect(await idsWith('pending')).toEqual([id]);
});
