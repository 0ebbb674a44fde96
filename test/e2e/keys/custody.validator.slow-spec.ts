import { api, type Api } from '../../support/api';
import { eventually } from '../../support/eventually';
import { newOperatorKey } from '../../support/operators';
import { rowMac } from '../../support/row-macs';
import { sharedService } from '../../support/service';
import { aMint, aTokenAccountOf, mintInto } from '../../support/tokens';
import {
  anAccount,
  anAgent,
  balanceOf,
  eventsOf,
  fund,
  bodyOf,
  invalidFields,
  operator,
  order,
  pay,
  query,
  rpc,
  setPolicy,
  stranger,
  countByStatus,
} from '../../support/world';

jest.setTimeout(60_000);

const UNKNOWN = 'acct_00000000000000000000000000';
const rotate = ({ id }: { id: string }, by = operator()) => by.post(`/v1/accounts/${id}/rotate_authority`);
const close = ({ id }: { id: string }, by = operator()) => by.post(`/v1/accounts/${id}/close`);

/** The operator and authority keys on chain: at offsets 64 and 96 of the program's account. */
async function keysOnChain(address: string): Promise<{ operator: string; authority: string }> {
  const { default: bs58 } = await import('bs58');
  const data = Buffer.from(
    (await rpc('getAccountInfo', [address, { encoding: 'base64', commitment: 'confirmed' }])).value.data[0],
    'base64',
  );
  return { operator: bs58.encode(data.subarray(64, 96)), authority: bs58.encode(data.subarray(96, 128)) };
}
const rowOf = async ({ id }: { id: string }) =>
  (await query('SELECT authority_key, authority_key_sealed, pending_authority_key, state FROM accounts WHERE id = $1', [id]))[0];

/** An operator of its own: rotating the shared one would affect every other test. */
async function anOperator(): Promise<Api> {
  const { baseUrl, sandbox, dataDir } = sharedService();
  return api(baseUrl, await newOperatorKey({ sandbox, dataDir }));
}
const operatorRow = async (by: Api) => {
  const { id } = await anAccount({ by });
  return (await query('SELECT o.* FROM operators o JOIN accounts a ON a.operator_id = o.id WHERE a.id = $1', [id]))[0];
};

describe.each(['rotate_authority', 'close'])('POST /v1/accounts/:id/%s with an invalid caller or body', (verb) => {
  test('rotate_authority and close answer 403 to an agent, 404 for unknown accounts and other operators, and 400 for fields', async () => {
    const account = await anAccount();
    const before = await keysOnChain(account.address);
    const path = `/v1/accounts/${account.id}/${verb}`;
    expect((await (await anAgent(account)).post(path)).status).toBe(403);
    expect((await stranger().post(path)).status).toBe(404);
    for (const id of [UNKNOWN, 'nonsense']) expect((await operator().post(`/v1/accounts/${id}/${verb}`)).status).toBe(404);
    expect(invalidFields(await operator().post(path, { force: true }))).toEqual(['force']);
    expect(await keysOnChain(account.address)).toEqual(before);
  });
});

describe('POST /v1/accounts/:id/rotate_authority', () => {
  test('rotate_authority changes the key on chain, and the account spends at once', async () => {
    const [a, b] = [await anAccount({ usdc: '10' }), await anAccount()];
    const before = await keysOnChain(a.address);
    const account = bodyOf(await rotate(a), 200);
    expect(account).toMatchObject({ account_id: a.id, status: 'active', balance_usdc: '10.000000' });
    const after = await keysOnChain(a.address);
    expect(after.authority).not.toBe(before.authority);
    expect(after.operator).toBe(before.operator);
    expect(await rowOf(a)).toMatchObject({ authority_key: after.authority, pending_authority_key: null });
    bodyOf(await pay(a, b, '1'), 200);
  });

  test('concurrent calls of rotate_authority run one after the other', async () => {
    const a = await anAccount();
    const counts = countByStatus(await Promise.all(Array.from({ length: 8 }, () => rotate(a))));
    expect(Object.keys(counts).every((status) => ['200', '409'].includes(status))).toBe(true);
    expect(counts[200]).toBeGreaterThanOrEqual(1);
    expect((await rowOf(a))?.authority_key).toBe((await keysOnChain(a.address)).authority);
  });

  test('rotate_authority during transfers: each transfer is paid once', async () => {
    const [a, b] = [await anAccount({ usdc: '100' }), await anAccount()];
    const paying = Array.from({ length: 60 }, async (_, index) => {
      await new Promise((resolve) => setTimeout(resolve, index * 10));
      return pay(a, b, '1');
    });
    for (let times = 0; times < 4; times++) bodyOf(await rotate(a), 200);
    expect(countByStatus(await Promise.all(paying))).toEqual({ 200: 60 });
    expect([await balanceOf(a), await balanceOf(b)]).toEqual(['40.000000', '60.000000']);
    const types = (await eventsOf(a)).map(([type]) => type);
    for (const type of ['transfer.initiated', 'transfer.settled']) expect(types.filter((each) => each === type)).toHaveLength(60);
  });

  test('recovers a rotated authority after a crash before the commit, at the next transfer', async () => {
    const [a, b] = [await anAccount({ usdc: '10' }), await anAccount()];
    const old = await rowOf(a);
    bodyOf(await rotate(a), 200);
    await query(
      `UPDATE accounts SET pending_authority_key = authority_key, pending_authority_key_sealed = authority_key_sealed, authority_key = $2, authority_key_sealed = $3,
              lease_until = now() + interval '1 hour' WHERE id = $1`,
      [a.id, old?.authority_key, old?.authority_key_sealed],
    );
    expect(countByStatus(await Promise.all(Array.from({ length: 5 }, () => pay(a, b, '1'))))).toEqual({ 200: 5 });
    expect(await rowOf(a)).toMatchObject({ authority_key: (await keysOnChain(a.address)).authority, pending_authority_key: null });
  });

  test('the recovery job finishes a rotation whose transaction was never sent before a crash', async () => {
    const [a, spare] = [await anAccount(), await anAccount()];
    const next = (await rowOf(spare))?.authority_key;
    const mac = rowMac('authority-rotation', [a.id, a.address, (await rowOf(a))?.authority_key, next]);
    // Another account's key stands for one that was generated and not sent. It is sealed for its own row only, and is not opened here.
    await query(
      `UPDATE accounts SET pending_authority_key = $2, pending_authority_key_sealed = 'kept', pending_authority_mac = $3, lease_until = now()
       WHERE id = $1`,
      [a.id, next, mac],
    );
    await eventually(async () => expect((await keysOnChain(a.address)).authority).toBe(next), { timeoutMs: 30_000 });
    await eventually(async () => expect((await rowOf(a))?.pending_authority_key).toBeNull());
  });
});

describe('POST /v1/operators/rotate_key', () => {
  test('rotate_key answers 403 to an agent', async () => {
    const account = await anAccount();
    expect((await (await anAgent(account)).post('/v1/operators/rotate_key')).status).toBe(403);
    expect(invalidFields(await operator().post('/v1/operators/rotate_key', { operator_id: 'op_1' }))).toEqual(['operator_id']);
  });

  test('rotate_key changes the operator of all its accounts, and of no other', async () => {
    const by = await anOperator();
    const accounts = await Promise.all(Array.from({ length: 12 }, () => anAccount({ by })));
    const other = await anAccount();
    const before = await keysOnChain(other.address);
    const { operator_id, chain_key } = bodyOf(await by.post('/v1/operators/rotate_key'), 200);
    for (const { address } of accounts) expect((await keysOnChain(address)).operator).toBe(chain_key);
    expect(await keysOnChain(other.address)).toEqual(before);
    expect((await query('SELECT chain_key, pending_chain_key FROM operators WHERE id = $1', [operator_id]))[0]).toEqual({
      chain_key,
      pending_chain_key: null,
    });
    await setPolicy(accounts[0] ?? { id: '' }, { paused: true }, by);
    expect((await keysOnChain((await anAccount({ by })).address)).operator).toBe(chain_key);
  });

  test('rotate_key works concurrently with policy changes, approvals and account creations', async () => {
    const by = await anOperator();
    const accounts = await Promise.all(Array.from({ length: 6 }, () => anAccount({ usdc: '10', policy: { escalation_threshold: 1 }, by })));
    const [payee] = accounts;
    const waiting = await Promise.all(
      accounts.slice(1).map(async (account) => bodyOf(await by.post('/v1/transfers', order(account, payee ?? '', '1')), 202)),
    );
    const [rotation, policies, approvals, created] = await Promise.all([
      by.post('/v1/operators/rotate_key'),
      Promise.all(accounts.map((account) => by.put(`/v1/accounts/${account.id}/policy`, { require_memo: false }))),
      Promise.all(waiting.map(({ transfer_id }) => by.post(`/v1/transfers/${transfer_id}/approve`))),
      Promise.all(Array.from({ length: 6 }, () => anAccount({ by }))),
    ]);
    const { chain_key } = bodyOf(rotation, 200);
    expect([countByStatus(policies), countByStatus(approvals)]).toEqual([{ 200: 6 }, { 200: 5 }]);
    for (const { address } of [...accounts, ...created]) expect((await keysOnChain(address)).operator).toBe(chain_key);
    expect(await balanceOf(payee ?? { id: '' }, by)).toBe('15.000000');
  });

  test('the recovery job finishes a rotation that a crash interrupted; until then each account accepts the key that it names', async () => {
    const by = await anOperator();
    const [moved, left] = [await anAccount({ by }), await anAccount({ by })];
    const before = await operatorRow(by);
    bodyOf(await by.post('/v1/operators/rotate_key'), 200);
    // The state before the last step: the new key pending, another process at work, and a new account under the old key.
    const after = (await query('SELECT * FROM operators WHERE id = $1', [before?.id]))[0];
    const mac = rowMac('operator-rotation', [before?.id, before?.chain_key, after?.chain_key, null, null]);
    await query(
      `UPDATE operators SET pending_chain_key = chain_key, pending_chain_key_sealed = chain_key_sealed, chain_key = $2, chain_key_sealed = $3, pending_mac = $4, rotation_lease_until = now() + interval '1 hour' WHERE id = $1`,
      [before?.id, before?.chain_key, before?.chain_key_sealed, mac],
    );
    expect((await by.post('/v1/operators/rotate_key')).body).toMatchObject({ error: 'conflict', status: 'rotating' });
    for (const account of [moved, left]) await setPolicy(account, { max_daily_spend: 5 }, by);
    expect((await keysOnChain((await anAccount({ by })).address)).operator).toBe(after?.chain_key);
    await query('UPDATE operators SET rotation_lease_until = now() WHERE id = $1', [before?.id]);
    const keys = () => query('SELECT chain_key, pending_chain_key FROM operators WHERE id = $1', [before?.id]);
    const finished = { chain_key: after?.chain_key, pending_chain_key: null };
    await eventually(async () => expect(await keys()).toEqual([finished]), { timeoutMs: 30_000 });
  });
});

describe('POST /v1/accounts/:id/close', () => {
  test('close answers 409 while a micro-USDC is left and while a transfer waits for approval', async () => {
    const [a, b] = [await anAccount({ usdc: '0.000001' }), await anAccount()];
    expect(await close(a)).toMatchObject({ status: 409, body: { error: 'conflict', status: 'active' } });
    await setPolicy(a, { paused: true });
    expect(await close(a)).toMatchObject({ status: 409, body: { error: 'conflict', status: 'paused' } });
    await setPolicy(a, { paused: false, escalation_threshold: 0 });
    const { transfer_id } = bodyOf(await pay(a, b, '0.000001'), 202);
    await query(`UPDATE accounts SET balance_micro_usdc = 0 WHERE id = $1`, [a.id]);
    expect(await close(a)).toMatchObject({ status: 409, body: { error: 'conflict', status: 'active' } });
    bodyOf(await operator().post(`/v1/transfers/${transfer_id}/approve`), 200);
    bodyOf(await close(a), 200);
  });

  test('close ends the account, refunds its rent, and its chain address is never used again', async () => {
    const [a, b] = [await anAccount({ usdc: '1' }), await anAccount()];
    const { transfer_id } = bodyOf(await pay(a, b, '1'), 200);
    expect(bodyOf(await close(a), 200)).toMatchObject({ account_id: a.id, status: 'closed', balance_usdc: '0.000000' });
    for (const path of ['', '/balance', '/spending', '/policy', '/transactions'])
      expect((await operator().get(`/v1/accounts/${a.id}${path}`)).status).toBe(404);
    for (const verb of ['close', 'rotate_authority']) expect((await operator().post(`/v1/accounts/${a.id}/${verb}`)).status).toBe(404);
    expect((await pay(a, b, '1')).status).toBe(404);
    expect((await pay(b, a, '1')).status).toBe(422);
    expect((await operator().get('/v1/accounts')).body.data.map(({ account_id }: { account_id: string }) => account_id)).not.toContain(
      a.id,
    );
    bodyOf(await operator().get(`/v1/transfers/${transfer_id}`), 200);
    expect((await rpc('getAccountInfo', [a.tokenAccount, { encoding: 'base64', commitment: 'confirmed' }])).value).toBeNull();
    expect((await rpc('getAccountInfo', [a.address, { encoding: 'base64', commitment: 'confirmed' }])).value.data[0]).toMatch(/^\/{10}/); // eight bytes of 0xff, then the operator
  });

  test('close with a destination moves the balance and records it', async () => {
    const [a, b] = [await anAccount({ usdc: '3.5' }), await anAccount()];
    expect(bodyOf(await operator().post(`/v1/accounts/${a.id}/close`, { destination: b.id }), 200)).toMatchObject({
      status: 'closed',
      balance_usdc: '0.000000',
    });
    expect(await balanceOf(b)).toBe('3.500000');
    const rows = await query(`SELECT type, direction, micro_usdc, counterparty FROM ledger_entries WHERE account_id = $1 ORDER BY id`, [
      a.id,
    ]);
    expect(rows).toEqual([
      { type: 'deposit', direction: 'in', micro_usdc: '3500000', counterparty: null },
      { type: 'transfer', direction: 'out', micro_usdc: '3500000', counterparty: b.tokenAccount },
    ]);
  });

  test('close rejects a destination that cannot receive USDC, and changes nothing', async () => {
    const a = await anAccount({ usdc: '1' });
    const to = (destination: unknown) => operator().post(`/v1/accounts/${a.id}/close`, { destination });
    const ofAnotherMint = await aTokenAccountOf(await aMint());
    for (const destination of [a.id, a.tokenAccount, UNKNOWN, 'x', '11111111111111111111111111111111', ofAnotherMint])
      expect([destination, await to(destination)]).toMatchObject([destination, { status: 422, body: { error: 'invalid_recipient' } }]);
    expect(invalidFields(await to(5))).toEqual(['destination']);
    expect(await balanceOf(a)).toBe('1.000000');
  });

  test('POST /v1/accounts/:id/sweep moves USDC that arrived after the closing', async () => {
    const [a, b] = [await anAccount(), await anAccount()];
    const sweep = (destination: string, by = operator()) => by.post(`/v1/accounts/${a.id}/sweep`, { destination });
    expect(await sweep(b.id)).toMatchObject({ status: 409, body: { error: 'conflict', status: 'active' } });
    bodyOf(await close(a), 200);
    expect(await sweep(b.id)).toMatchObject({ status: 409, body: { error: 'conflict', status: 'closed' } });
    await mintInto(a, 2_000_000n);
    expect((await sweep(b.id, stranger())).status).toBe(404);
    expect((await sweep(a.tokenAccount)).status).toBe(422);
    expect(bodyOf(await sweep(b.id), 200)).toMatchObject({
      account_id: a.id,
      destination: b.id,
      swept_usdc: '2.000000',
      tx_signature: expect.any(String),
    });
    expect(await balanceOf(b)).toBe('2.000000');
  });

  test('concurrent calls of close close the account once', async () => {
    const account = await anAccount();
    const counts = countByStatus(await Promise.all(Array.from({ length: 6 }, () => close(account))));
    expect(counts[200]).toBe(1);
    expect(Object.keys(counts).every((status) => ['200', '404', '409'].includes(status))).toBe(true);
  });

  test('the recovery job records a closing that landed before a crash', async () => {
    const [a, stays] = [await anAccount(), await anAccount()];
    bodyOf(await close(a), 200);
    await query(`UPDATE accounts SET state = 'open', closing = true, lease_until = now() WHERE id = ANY($1)`, [[a.id, stays.id]]);
    await eventually(async () => expect((await rowOf(a))?.state).toBe('closed'), { timeoutMs: 30_000 });
    const states = () => query('SELECT state, closing FROM accounts WHERE id = $1', [stays.id]);
    await eventually(async () => expect(await states()).toEqual([{ state: 'open', closing: false }]), { timeoutMs: 30_000 });
    await fund(stays, '1');
  });

  test('a creation with an unknown outcome is answered as the first request was when it is repeated', async () => {
    const key = { 'Idempotency-Key': `close-${Date.now()}` };
    const first = bodyOf(await operator().post('/v1/accounts', { name: 'brief' }, key), 201);
    bodyOf(await close({ id: first.account_id }), 200);
    expect(bodyOf(await operator().post('/v1/accounts', { name: 'brief' }, key), 201).account_id).toBe(first.account_id);
  });
});
