/** A thief of a dashboard session, who does not have the operator key: what cannot be undone, or gives others its rights, asks for the key. */
import { randomBytes } from 'node:crypto';
import { acceptanceText } from '#chain';
import type { Body } from '../support/api';
import { ChainKeyHolder } from '../support/chain-keys';
import { newOperatorKey } from '../support/operators';
import { sharedService } from '../support/service';
import { anAccount, bodyOf, operator, order, type TestAccount } from '../support/world';

jest.setTimeout(60_000);

let cookie: string;
let account: TestAccount;
let stranger: string;
beforeAll(async () => {
  const { baseUrl, operatorKey } = sharedService();
  const response = await fetch(new URL('/dashboard/session', baseUrl), {
    method: 'POST',
    headers: { 'X-Dashboard': '1', 'Content-Type': 'application/json' },
    body: JSON.stringify({ key: operatorKey }),
  });
  cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
  [account, stranger] = [await anAccount(), await newOperatorKey(sharedService())];
});

async function fromPage(path: string, body: object, key?: string): Promise<{ status: number; error: string }> {
  const headers = {
    'X-Dashboard': '1',
    'Content-Type': 'application/json',
    Cookie: cookie,
    ...(key !== undefined && { 'X-Operator-Key': key }),
  };
  const response = await fetch(new URL(path, sharedService().baseUrl), { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, error: ((await response.json()) as Body).error };
}

const holder = new ChainKeyHolder();
const ACTIONS: [string, () => [path: string, body: object]][] = [
  ['makes no operator key', () => ['/v1/api_keys', { type: 'operator' }]],
  ['rotates no authority', () => [`/v1/accounts/${account.id}/rotate_authority`, {}]],
  ['closes no account', () => [`/v1/accounts/${account.id}/close`, {}]],
  ['sweeps no account', () => [`/v1/accounts/${account.id}/sweep`, { destination: account.tokenAccount }]],
  ['rotates no chain key', () => ['/v1/operators/rotate_key', {}]],
  [
    'hands no accounts over',
    () => [
      '/v1/operators/chain_key',
      { chain_key: holder.address, signature: holder.signText(acceptanceText(holder.address, randomBytes(16))) },
    ],
  ],
];

test.each(ACTIONS)('a session without the operator key %s, nor with the key of another operator', async (_what, action) => {
  const [path, body] = action();
  const before = bodyOf(await operator().get('/v1/operators/me'), 200);
  for (const key of [undefined, stranger]) expect(await fromPage(path, body, key)).toEqual({ status: 403, error: 'forbidden' });
  expect(bodyOf(await operator().get('/v1/operators/me'), 200)).toEqual(before);
});

test('a session with the operator key rotates an authority and closes an account, and a key alone does too', async () => {
  const { operatorKey } = sharedService();
  const other = await anAccount();
  expect((await fromPage(`/v1/accounts/${other.id}/rotate_authority`, {}, operatorKey)).status).toBe(200);
  expect((await fromPage(`/v1/accounts/${other.id}/close`, {}, operatorKey)).status).toBe(200);
  bodyOf(await operator().post(`/v1/accounts/${account.id}/rotate_authority`), 200);
});

test('a session pays, changes policies, approves and makes agent keys without the operator key', async () => {
  const { baseUrl } = sharedService();
  const payer = await anAccount({ usdc: '2' });
  const headers = { 'X-Dashboard': '1', 'Content-Type': 'application/json', Cookie: cookie };
  const policy = JSON.stringify({ escalation_threshold: 1 });
  expect((await fetch(new URL(`/v1/accounts/${payer.id}/policy`, baseUrl), { method: 'PUT', headers, body: policy })).status).toBe(200);
  expect((await fromPage('/v1/transfers', order(payer, account, '0.5'))).status).toBe(200);
  const { transfer_id: id } = bodyOf(await operator().post('/v1/transfers', order(payer, account, '1')), 202);
  expect((await fromPage(`/v1/transfers/${id}/approve`, {})).status).toBe(200);
  expect((await fromPage('/v1/api_keys', { type: 'agent', account_ids: [account.id] })).status).toBe(201);
});
