/** The requests by which the service asks an operator who holds its chain key for a signature. */
import { Keypair, VersionedTransaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { api, type Api } from '../../support/api';
import { anExternalOperator, ChainKeyHolder } from '../../support/chain-keys';
import { sharedService } from '../../support/service';
import { anAccount, balanceOf, bodyOf, everyRow, fund, invalidFields, operator, order, query } from '../../support/world';

jest.setTimeout(120_000);

const submit = (by: Api, id: string, transaction: string) => by.post(`/v1/signature_requests/${id}`, { transaction });
const expire = (id: string) => query(`UPDATE signature_requests SET expires_at = now() - interval '1 second' WHERE id = $1`, [id]);
const auditOf = async (by: Api, object: string) => (await everyRow(`/v1/audit_log?object=${object}`, by)).map(({ action }) => action);

describe('with an external chain key', () => {
  let by: Api;
  let holder: ChainKeyHolder;
  beforeAll(async () => {
    ({ by, holder } = await anExternalOperator());
  });

  test('the chain key of another operator is answered with 409, and the present one with 400', async () => {
    expect(invalidFields(await holder.accept(by))).toEqual(['chain_key']);
    expect(bodyOf(await holder.accept(operator()), 409)).toMatchObject({ status: 'taken' });
  });

  test('an agent and another operator cannot see or sign requests', async () => {
    const account = await anAccount({ by });
    const asked = bodyOf(await by.put(`/v1/accounts/${account.id}/policy`, { paused: true }), 202);
    const { key } = bodyOf(await by.post('/v1/api_keys', { type: 'agent', account_ids: [account.id] }), 201);
    const agent = api(sharedService().baseUrl, key);
    const path = `/v1/signature_requests/${asked.signature_request_id}`;
    const transaction = holder.signTransaction(asked);
    expect((await agent.get(path)).status).toBe(403);
    expect((await agent.post(path, { transaction })).status).toBe(403);
    expect((await operator().get(path)).status).toBe(404);
    expect((await operator().post(path, { transaction })).status).toBe(404);
    expect((await operator().post(`${path}/renew`)).status).toBe(404);
    expect((await agent.get('/v1/operators/me')).status).toBe(403);
  });

  test('the same change asked for again, also at the same time, is the same request, with a new transaction once it has expired', async () => {
    const account = await anAccount({ by });
    const ask = async () => bodyOf(await by.put(`/v1/accounts/${account.id}/policy`, { paused: true }), 202);
    const [first, ...others] = await Promise.all([ask(), ask(), ask()]);
    const id = first?.signature_request_id;
    for (const other of others) expect(other).toEqual(first);
    await expire(id);
    const again = await ask();
    expect(again.signature_request_id).toBe(id);
    expect(again.transaction).not.toBe(first?.transaction);
    expect(bodyOf(await submit(by, id, holder.signTransaction(again)), 200)).toMatchObject({ paused: true });
    expect(bodyOf(await by.put(`/v1/accounts/${account.id}/policy`, { paused: true }), 202).signature_request_id).not.toBe(id);
  });

  test('another transaction, another key’s signature and bytes that are no transaction are answered with 400', async () => {
    const account = await anAccount({ by });
    const asked = bodyOf(await by.put(`/v1/accounts/${account.id}/policy`, { max_daily_spend: 1 }), 202);
    const other = bodyOf(await by.put(`/v1/accounts/${account.id}/policy`, { max_daily_spend: 2 }), 202);
    const unsigned = VersionedTransaction.deserialize(Buffer.from(asked.transaction, 'base64'));
    const forged = VersionedTransaction.deserialize(Buffer.from(asked.transaction, 'base64'));
    const { signatures } = VersionedTransaction.deserialize(Buffer.from(other.transaction, 'base64'));
    const thief = Keypair.generate();
    forged.signatures = signatures.map(() => bs58.decode(bs58.encode(new Uint8Array(64).fill(thief.secretKey[0] ?? 1))));
    const wrong = [
      holder.signTransaction(other),
      Buffer.from(unsigned.serialize()).toString('base64'),
      Buffer.from(forged.serialize()).toString('base64'),
      'AAAA',
      '%',
      'A'.repeat(1_648),
    ];
    for (const transaction of wrong) {
      expect(invalidFields(await submit(by, asked.signature_request_id, transaction))).toEqual(['transaction']);
    }
    expect(bodyOf(await by.get(`/v1/accounts/${account.id}/policy`), 200)).toMatchObject({ version: 1 });
  });

  test('an expired request is answered with 409, and a renewed one is signed', async () => {
    const account = await anAccount({ by });
    const asked = bodyOf(await by.put(`/v1/accounts/${account.id}/policy`, { max_daily_spend: 3 }), 202);
    const id = asked.signature_request_id;
    await expire(id);
    expect(bodyOf(await submit(by, id, holder.signTransaction(asked)), 409)).toMatchObject({ status: 'expired' });
    expect((await everyRow('/v1/signature_requests?status=expired', by)).map((row) => row.signature_request_id)).toContain(id);
    const renewed = bodyOf(await by.post(`/v1/signature_requests/${id}/renew`), 202);
    expect(renewed).toMatchObject({ signature_request_id: id, status: 'signature_required' });
    expect(bodyOf(await by.get(`/v1/signature_requests/${id}`), 200)).toMatchObject({ status: 'pending', account_id: account.id });
    expect(bodyOf(await submit(by, id, holder.signTransaction(renewed)), 200)).toMatchObject({ max_daily_spend: 3 });
    expect(bodyOf(await by.get(`/v1/signature_requests/${id}`), 200)).toMatchObject({ status: 'completed', action: 'policy.change' });
    expect(bodyOf(await by.post(`/v1/signature_requests/${id}/renew`), 409)).toMatchObject({ status: 'completed' });
  });

  test('a change that was signed for an older version is asked for again, and stands once in the audit log', async () => {
    const account = await anAccount({ by });
    const path = `/v1/accounts/${account.id}/policy`;
    const asked = bodyOf(await by.put(path, { max_daily_spend: 3 }), 202);
    await holder.complete(by, await by.put(path, { max_single_transfer: 2 }));
    const again = await submit(by, asked.signature_request_id, holder.signTransaction(asked));
    expect(again).toMatchObject({ status: 202, body: { signature_request_id: asked.signature_request_id } });
    expect(await holder.complete(by, again)).toMatchObject({
      status: 200,
      body: { max_daily_spend: 3, max_single_transfer: 2, version: 3 },
    });
    expect(await auditOf(by, account.id)).toEqual(['policy.changed', 'policy.changed', 'account.created']);
  });

  test('a pause that was signed for an older version pauses all the same', async () => {
    const account = await anAccount({ by });
    const path = `/v1/accounts/${account.id}/policy`;
    const asked = bodyOf(await by.put(path, { paused: true }), 202);
    await holder.complete(by, await by.put(path, { max_single_transfer: 2 }));
    expect(await submit(by, asked.signature_request_id, holder.signTransaction(asked))).toMatchObject({
      status: 200,
      body: { paused: true },
    });
  });

  test('If-Match holds when the change is signed: a policy that was changed since is answered with 412', async () => {
    const account = await anAccount({ by });
    const asked = bodyOf(await by.put(`/v1/accounts/${account.id}/policy`, { max_daily_spend: 3 }, { 'If-Match': '"1"' }), 202);
    await holder.complete(by, await by.put(`/v1/accounts/${account.id}/policy`, { max_daily_spend: 4 }));
    expect((await submit(by, asked.signature_request_id, holder.signTransaction(asked))).status).toBe(412);
  });

  test('a transfer that is denied while its signature is awaited stays denied', async () => {
    const [payer, payee] = [await anAccount({ by, usdc: '10' }), await anAccount({ by })];
    await holder.complete(by, await by.put(`/v1/accounts/${payer.id}/policy`, { escalation_threshold: 5 }));
    const { transfer_id: id } = bodyOf(await by.post('/v1/transfers', order(payer, payee, '5')), 202);
    const asked = bodyOf(await by.post(`/v1/transfers/${id}/approve`), 202);
    bodyOf(await by.post(`/v1/transfers/${id}/deny`, { reason: 'no' }), 200);
    expect((await submit(by, asked.signature_request_id, holder.signTransaction(asked))).status).toBe(409);
    expect(await balanceOf(payee, by)).toBe('0.000000');
  });

  test('an approval that a limit declines by now is answered with 402, and nothing is signed', async () => {
    const [payer, payee] = [await anAccount({ by, usdc: '10' }), await anAccount({ by })];
    await holder.complete(by, await by.put(`/v1/accounts/${payer.id}/policy`, { escalation_threshold: 5 }));
    const { transfer_id: id } = bodyOf(await by.post('/v1/transfers', order(payer, payee, '5')), 202);
    await holder.complete(by, await by.put(`/v1/accounts/${payer.id}/policy`, { max_single_transfer: 4 }));
    expect(bodyOf(await by.post(`/v1/transfers/${id}/approve`), 402)).toMatchObject({ policy: { rule: 'max_single_transfer' } });
  });

  test('the list shows the requests of an operator, newest first, by status', async () => {
    await fund(await anAccount({ by }), '1', by);
    const completed = await everyRow('/v1/signature_requests?status=completed', by);
    expect(completed.length).toBeGreaterThan(0);
    expect(completed.every(({ status, completed_at }) => status === 'completed' && completed_at !== null)).toBe(true);
    const all = await everyRow('/v1/signature_requests', by);
    expect(all.map(({ signature_request_id }) => signature_request_id)).toEqual(
      all
        .map(({ signature_request_id }) => signature_request_id)
        .toSorted()
        .toReversed(),
    );
    expect(invalidFields(await by.get('/v1/signature_requests?status=signed'))).toEqual(['status']);
  });
});
