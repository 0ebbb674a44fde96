/**
 * A writer of the database who has no key of the service, and knows its tables. Each test writes one kind of row that would make the service
 * sign with an operator's key, or give somebody an operator's rights, and gets nothing.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { acceptanceText } from '#chain';
import { newId } from '#database';
import { type Answer, api, type Api, type Body } from '../support/api';
import { ChainKeyHolder } from '../support/chain-keys';
import { eventually } from '../support/eventually';
import { newOperatorKey } from '../support/operators';
import { anOutsider, type Outsider } from '../support/outsider';
import { type RogueProvider, startRogueProvider } from '../support/rogue-provider';
import { sharedService } from '../support/service';
import { anAccount, balanceOf, bodyOf, chainBalance, operator, order, query, type TestAccount } from '../support/world';

jest.setTimeout(90_000);

let thief: Outsider;
beforeAll(async () => void (thief = await anOutsider()));

const LONG_AGO = '2001-01-01T00:00:00Z';
const received = (): Promise<bigint> => chainBalance(thief.tokenAccount);

/** An operator of its own, for what concerns all accounts of one. */
async function anOperator(): Promise<{ id: string; chainKey: string }> {
  const by = api(sharedService().baseUrl, await newOperatorKey(sharedService()));
  const { operator_id: id, chain_key: chainKey } = bodyOf(await by.get('/v1/operators/me'), 200);
  await anAccount({ by });
  return { id, chainKey };
}

/** The row that a statement finds by this id, once it passes the check. */
function rowOnce(statement: string, id: string, check: (row: Body | undefined) => void): Promise<Body> {
  const look = async (): Promise<Body> => {
    const [row] = await query(statement, [id]);
    check(row);
    return row as Body;
  };
  return eventually(look, { timeoutMs: 60_000 });
}

/** The row of an order, once the service has looked at it again and has left it. */
const examined = (id: string): Promise<Body> =>
  rowOnce('SELECT * FROM orders WHERE id = $1', id, (row) => expect(['created', 'submitted']).not.toContain(row?.status));

/** Opens a session of a new account with a provider that pays the thief, and returns a call of the provider that it pays. */
async function aPayingCall({ url: provider }: RogueProvider, path = ''): Promise<() => Promise<Answer>> {
  const account = await anAccount({ usdc: '20' });
  const terms = { account_id: account.id, provider, payee: thief.owner, cap: '1', idempotency_key: randomUUID() };
  const { session_id } = bodyOf(await operator().post('/v1/sessions', terms), 201);
  const request = { method: 'GET', url: `${provider}${path}` };
  const payment = { account_id: account.id, session_id, max_amount: '0.01', request };
  return () => operator().post('/v1/payments', { ...payment, idempotency_key: randomUUID() });
}

describe('keys and sessions', () => {
  test('a browser session that the database writer inserted for an operator key is 401', async () => {
    const { key_id: keyId } = bodyOf(await operator().get('/v1/me'), 200);
    const token = randomBytes(32).toString('base64url');
    const hash = createHash('sha256').update(token).digest('hex');
    const values = [hash, keyId, new Date(Date.now() + 3_600_000)];
    const columns = 'token_hash, key_id, created_at, last_seen_at, expires_at';
    await query(`INSERT INTO browser_sessions (${columns}) VALUES ($1, $2, now(), now(), $3)`, values).catch(() =>
      query(`INSERT INTO browser_sessions (${columns}, mac) VALUES ($1, $2, now(), now(), $3, '\\x00')`, values),
    );
    const headers = { 'X-Dashboard': '1', Cookie: `dashboard_session=${token}` };
    expect((await fetch(new URL('/v1/api_keys', sharedService().baseUrl), { headers })).status).toBe(401);
  });

  test('a browser session that the database writer moves to another key or prolongs is 401', async () => {
    const { baseUrl } = sharedService();
    const { key } = bodyOf(await operator().post('/v1/api_keys', { type: 'operator' }), 201);
    const { key_id: other } = bodyOf(await operator().get('/v1/me'), 200);
    for (const change of [`key_id = '${other}'`, `expires_at = expires_at + interval '1 day'`]) {
      const signedIn = await fetch(new URL('/dashboard/session', baseUrl), {
        method: 'POST',
        headers: { 'X-Dashboard': '1', 'Content-Type': 'application/json' },
        body: JSON.stringify({ key }),
      });
      const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
      const call = () => fetch(new URL('/v1/api_keys', baseUrl), { headers: { 'X-Dashboard': '1', Cookie: cookie } });
      expect((await call()).status).toBe(200);
      const hash = createHash('sha256')
        .update(cookie.slice(cookie.indexOf('=') + 1))
        .digest('hex');
      await query(`UPDATE browser_sessions SET ${change} WHERE token_hash = $1`, [hash]);
      expect([change, (await call()).status]).toEqual([change, 401]);
    }
  });

  test('a revoked API key whose revocation the database writer removes is 401', async () => {
    const { key, key_id: id } = bodyOf(await operator().post('/v1/api_keys', { type: 'operator' }), 201);
    expect((await operator().delete(`/v1/api_keys/${id}`)).status).toBe(204);
    await query('UPDATE api_keys SET revoked_at = NULL WHERE id = $1', [id]);
    expect((await api(sharedService().baseUrl, key).get('/v1/api_keys')).status).toBe(401);
  });
});

describe('chain keys', () => {
  test('a hand-over to the key of the database writer is not made', async () => {
    const { id, chainKey } = await anOperator();
    const holder = new ChainKeyHolder();
    const text = acceptanceText(chainKey, randomBytes(16));
    await query(
      `UPDATE operators SET pending_chain_key = $2, pending_acceptance_text = $3, pending_acceptance_signature = $4, rotation_lease_until = $5
       WHERE id = $1`,
      [id, holder.address, text, Buffer.from(holder.signText(text), 'base64'), LONG_AGO],
    );
    const statement = 'SELECT *, rotation_lease_until <= now() AS is_free FROM operators WHERE id = $1';
    const row = await rowOnce(statement, id, (current) =>
      expect([current?.rotation_lease_until.toISOString() > LONG_AGO, current?.is_free]).toEqual([true, true]),
    );
    expect([row.chain_key, row.pending_chain_key]).toEqual([chainKey, holder.address]);
  });

  test('a rotation to an authority of the database writer is not made', async () => {
    const account = await anAccount();
    const [before] = await query('SELECT authority_key FROM accounts WHERE id = $1', [account.id]);
    const pending = new ChainKeyHolder().address;
    await query(
      `UPDATE accounts SET pending_authority_key = $2, pending_authority_key_sealed = authority_key_sealed, lease_until = $3 WHERE id = $1`,
      [account.id, pending, LONG_AGO],
    );
    const row = await rowOnce('SELECT * FROM accounts WHERE id = $1', account.id, (current) =>
      expect(current?.pending_authority_key).toBeNull(),
    );
    expect(row.authority_key).toBe(before?.authority_key);
  });
});

describe('approvals', () => {
  const aWaiting = async (amount = '10'): Promise<{ by: Api; account: TestAccount; id: string }> => {
    const by = operator();
    const account = await anAccount({ usdc: '20', policy: { escalation_threshold: 5 } });
    const { transfer_id: id } = bodyOf(await by.post('/v1/transfers', order(account, thief.tokenAccount, amount)), 202);
    return { by, account, id };
  };

  test('a waiting transfer that the database writer marks as approved waits on, and pays nothing', async () => {
    const { id } = await aWaiting();
    const before = await received();
    const { key_id: keyId } = bodyOf(await operator().get('/v1/me'), 200);
    await query(
      `UPDATE orders SET status = 'created', approved = true, approved_by = $2, approved_at = now(), lease_until = $3 WHERE id = $1`,
      [id, keyId, LONG_AGO],
    );
    expect(await examined(id)).toMatchObject({ status: 'pending_approval', approved: false });
    expect(await received()).toBe(before);
  });

  test('an approved transfer that the database writer inserted waits for an approval, and pays nothing', async () => {
    const { account, id } = await aWaiting();
    const before = await received();
    const forged = newId('tr');
    const columns =
      'operator_id, account_id, kind, source, request_hash, recipient, destination, micro_usdc, metadata, created_at, created_by';
    await query(
      `INSERT INTO orders (id, idempotency_key, status, approved, approved_by, approved_at, lease_until, ${columns})
       SELECT $2, $2, 'created', true, created_by, now(), $3, ${columns} FROM orders WHERE id = $1`,
      [id, forged, LONG_AGO],
    );
    expect(await examined(forged)).toMatchObject({ account_id: account.id, status: 'pending_approval', approved: false });
    expect(await received()).toBe(before);
  });

  test.each([
    ['the destination', `destination = '${'THIEF'}'`],
    ['the amount', 'micro_usdc = 15000000'],
    ['the recipient that is shown', `recipient = 'acct_00000000000000000000000000'`],
    ['the category', `category = 'data'`],
    ['the end of the wait', `approval_expires_at = approval_expires_at + interval '1 day'`],
  ])('a waiting transfer of which the database writer changes %s is not approved', async (_what, change) => {
    const { by, id } = await aWaiting();
    const other = await anOutsider();
    const before = [await received(), await chainBalance(other.tokenAccount)];
    await query(`UPDATE orders SET ${change.replace('THIEF', other.tokenAccount)} WHERE id = $1`, [id]);
    expect(bodyOf(await by.post(`/v1/transfers/${id}/approve`), 409)).toMatchObject({ error: 'conflict', status: 'pending_approval' });
    expect([await received(), await chainBalance(other.tokenAccount)]).toEqual(before);
    bodyOf(await by.post(`/v1/transfers/${id}/deny`), 200);
  });

  test('an approved transfer that settled and that the database writer starts again under a new nonce is not paid twice', async () => {
    const { by, account, id } = await aWaiting();
    bodyOf(await by.post(`/v1/transfers/${id}/approve`), 200);
    const before = await received();
    const [{ seq } = {}] = await query('SELECT seq FROM orders WHERE id = $1', [id]);
    // Hides the nonce from the search for lost orders.
    await query('INSERT INTO examined_nonces (account_id, seq) VALUES ($1, $2) ON CONFLICT DO NOTHING', [account.id, seq]);
    await query('DELETE FROM order_attempts WHERE order_id = $1', [id]);
    await query(
      `UPDATE orders SET status = 'created', seq = NULL, signature = NULL, settled_at = NULL, final_at = NULL, submitted_at = NULL,
              lease_until = $2 WHERE id = $1`,
      [id, LONG_AGO],
    );
    await examined(id);
    expect(await received()).toBe(before);
  });

  test('a waiting session or purse of which the database writer changes the row is not approved', async () => {
    const by = operator();
    const account = await anAccount({ usdc: '20', policy: { escalation_threshold: 5 } });
    const terms = { account_id: account.id, idempotency_key: randomUUID() };
    const { session_id: session } = bodyOf(
      await by.post('/v1/sessions', { ...terms, provider: 'https://api.example.com', payee: thief.owner, cap: '6' }),
      202,
    );
    const { purse_id: purse } = bodyOf(await by.post('/v1/purses', { ...terms, amount: '6' }), 202);
    const key = new ChainKeyHolder().address;
    await query('UPDATE sessions SET voucher_key = $2 WHERE id = $1', [session, key]);
    await query('UPDATE purses SET delegate_key = $2 WHERE id = $1', [purse, key]);
    for (const path of [`/v1/sessions/${session}`, `/v1/purses/${purse}`])
      expect([path, bodyOf(await by.post(`${path}/approve`), 409).status]).toEqual([path, 'pending_approval']);
    expect(await balanceOf(account, by)).toBe('20.000000');
  });
});

describe('pinned providers', () => {
  let provider: RogueProvider;
  beforeAll(async () => {
    provider = await startRogueProvider(thief.owner);
    provider.price = 1_000n;
  });
  afterAll(() => provider.stop());

  test.each([
    [
      'inserts',
      `INSERT INTO providers (operator_id, host, payee, categories, created_at, updated_at) VALUES ($1, $2, $3, 'null', now(), now())`,
    ],
    ['changes', `UPDATE providers SET payee = $3 WHERE operator_id = $1 AND host = $2`],
    ['widens', `UPDATE providers SET categories = 'null' WHERE operator_id = $1 AND host = $2 AND $3 <> ''`],
  ])('a provider that the database writer %s is paid nothing', async (verb, statement) => {
    const by = operator();
    const { operator_id: id } = bodyOf(await by.get('/v1/operators/me'), 200);
    const host = new URL(provider.url).host;
    const call = await aPayingCall(provider, '/data');
    const holder = new ChainKeyHolder();
    if (verb !== 'inserts')
      bodyOf(await by.put(`/v1/providers/${host}`, { payee: verb === 'widens' ? thief.owner : holder.address, categories: [] }), 200);
    await query(statement, [id, host, thief.owner]);
    const answer = await call();
    expect([answer.status, answer.body.rejection_reason]).toEqual([402, 'recipient_mismatch']);
    expect((await by.delete(`/v1/providers/${host}`)).status).toBe(204);
  });
});

describe('what remains for a database writer', () => {
  test('an order that the database writer inserted is paid inside the limits, and declined beyond them', async () => {
    const account = await anAccount({ usdc: '20', policy: { max_single_transfer: 5 } });
    const [id, dear] = [newId('tr'), newId('tr')];
    for (const [forged, amount] of [
      [id, 5_000_000],
      [dear, 5_000_001],
    ]) {
      await query(
        `INSERT INTO orders (id, operator_id, account_id, kind, source, idempotency_key, request_hash, recipient, destination, micro_usdc,
           metadata, status, created_at, lease_until)
         SELECT $2, operator_id, id, 'transfer', 'request', $2, '', $3, $3, $4, '{}', 'created', now(), $5 FROM accounts WHERE id = $1`,
        [account.id, forged, thief.tokenAccount, amount, LONG_AGO],
      );
    }
    expect([(await examined(id)).status, (await examined(dear)).rejection_reason]).toEqual(['settled', 'max_single_transfer']);
    expect(await balanceOf(account)).toBe('15.000000');
  });

  test('a revoked API key works again where the database writer puts its row back as it was before', async () => {
    const { key, key_id: id } = bodyOf(await operator().post('/v1/api_keys', { type: 'operator' }), 201);
    const [kept] = await query('SELECT mac FROM api_keys WHERE id = $1', [id]);
    expect((await operator().delete(`/v1/api_keys/${id}`)).status).toBe(204);
    await query('UPDATE api_keys SET revoked_at = NULL, mac = $2 WHERE id = $1', [id, kept?.mac]);
    const restored = api(sharedService().baseUrl, key);
    expect((await restored.get('/v1/api_keys')).status).toBe(200);
    expect((await operator().delete(`/v1/api_keys/${id}`)).status).toBe(204);
  });

  test('an account whose addresses or handle the database writer changes is no recipient', async () => {
    const [payer, payee, third] = [await anAccount({ usdc: '2' }), await anAccount(), await anAccount()];
    const other = await anOutsider();
    const before = await chainBalance(other.tokenAccount);
    // Finalized: an account that is not, and that its address does not show on the chain, would be created again meanwhile.
    await query('UPDATE accounts SET usdc_token_account = $2, chain_address = $3, finalized = true WHERE id = $1', [
      payee.id,
      other.tokenAccount,
      other.owner,
    ]);
    bodyOf(await operator().post('/v1/transfers', order(payer, payee, '1')), 422);
    const policy = { allowed_counterparties: [payee.id] };
    expect((await operator().put(`/v1/accounts/${payer.id}/policy`, policy)).status).toBe(400);
    expect((await operator().post(`/v1/accounts/${payer.id}/close`, { destination: payee.id })).status).toBe(422);
    await query(`UPDATE accounts SET handle = 'taken-' || handle WHERE id = $1`, [third.id]);
    await query('UPDATE accounts SET usdc_token_account = $2, chain_address = $3, handle = $4 WHERE id = $1', [
      payee.id,
      payee.tokenAccount,
      payee.address,
      third.handle,
    ]);
    bodyOf(await operator().post('/v1/transfers', { ...order(payer, payee, '1'), to: third.handle }), 422);
    expect([await chainBalance(other.tokenAccount), await balanceOf(payee)]).toEqual([before, '0.000000']);
  });

  test('a provider whose pin the database writer removes is paid as one that was never pinned', async () => {
    const seller = await startRogueProvider(thief.owner);
    seller.price = 1_000n;
    const pay = await aPayingCall(seller);
    const host = new URL(seller.url).host;
    bodyOf(await operator().put(`/v1/providers/${host}`, { payee: thief.owner, categories: [] }), 200);
    bodyOf(await pay(), 402);
    await query('DELETE FROM providers WHERE host = $1', [host]);
    bodyOf(await pay(), 200);
    seller.stop();
  });
});

test('a bulk job that the database writer inserted changes no policy', async () => {
  const [account, other] = [await anAccount(), await anAccount()];
  const { operator_id: operatorId } = bodyOf(await operator().get('/v1/operators/me'), 200);
  const id = newId('job');
  await query(
    `INSERT INTO bulk_jobs (id, operator_id, action, status, total, done, failed, is_signed_outside, created_by, created_at, lease_until, mac)
     VALUES ($1, $2, 'pause', 'running', 1, 0, 0, false, 'key', now(), now(), '\\x00')`,
    [id, operatorId],
  );
  await query(`INSERT INTO bulk_job_accounts (job_id, position, account_id, status) VALUES ($1, 0, $2, 'waiting')`, [id, account.id]);
  const job = bodyOf(await operator().post('/v1/accounts/bulk', { action: 'pause', account_ids: [other.id] }), 202);
  await eventually(async () => expect(bodyOf(await operator().get(`/v1/jobs/${job.job_id}`), 200).status).toBe('finished'));
  expect(bodyOf(await operator().get(`/v1/jobs/${id}`), 200)).toMatchObject({ status: 'running', done: 0 });
  expect(bodyOf(await operator().get(`/v1/accounts/${account.id}/policy`), 200).paused).toBe(false);
  await query('DELETE FROM bulk_jobs WHERE id = $1', [id]);
});
