/** An operator who holds its chain key itself: the service asks for its signature, and can do nothing without it. */
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { api, type Api } from '../../support/api';
import { anExternalOperator, ChainKeyHolder, untilHeldBy } from '../../support/chain-keys';
import { newOperatorKey } from '../../support/operators';
import { anOutsider } from '../../support/outsider';
import { sharedService } from '../../support/service';
import { anAccount, balanceOf, bodyOf, everyRow, invalidFields, order, query, rpc, setPolicy, stranger } from '../../support/world';

jest.setTimeout(120_000);

async function anOperator(): Promise<Api> {
  const { baseUrl, sandbox, dataDir } = sharedService();
  return api(baseUrl, await newOperatorKey({ sandbox, dataDir }));
}

/** The operator that an account obeys on chain: at offset 64 of the program's account. */
async function operatorOnChain({ address }: { address: string }): Promise<string> {
  const { value } = await rpc('getAccountInfo', [address, { encoding: 'base64', commitment: 'confirmed' }]);
  return bs58.encode(Buffer.from(value.data[0], 'base64').subarray(64, 96));
}

const submit = (by: Api, id: string, transaction: string) => by.post(`/v1/signature_requests/${id}`, { transaction });
const auditOf = async (by: Api, object: string) => (await everyRow(`/v1/audit_log?object=${object}`, by)).map(({ action }) => action);

describe('POST /v1/operators/chain_key', () => {
  test('the accounts are handed to the key, new ones too, and the service holds no key any more', async () => {
    const by = await anOperator();
    const before = await anAccount({ by });
    const me = bodyOf(await by.get('/v1/operators/me'), 200);
    expect(me).toMatchObject({ name: 'another', chain_key_custody: 'service', pending_chain_key: null });
    const holder = new ChainKeyHolder();
    expect(bodyOf(await holder.accept(by), 202)).toMatchObject({ operator_id: me.operator_id });
    await untilHeldBy(by, holder);
    const after = await anAccount({ by });
    expect(await Promise.all([before, after].map(operatorOnChain))).toEqual([holder.address, holder.address]);
    const [row] = await query('SELECT * FROM operators WHERE id = $1', [me.operator_id]);
    expect(row).toMatchObject({ chain_key: holder.address, chain_key_sealed: null, pending_chain_key: null, chain_key_challenge: null });
    expect(await auditOf(by, me.operator_id)).toEqual(['operator_key.handed_over', 'operator.created']);
  });

  test('a signature of another text, by another key, or of an expired or replaced challenge is answered with 400', async () => {
    const by = stranger();
    const holder = new ChainKeyHolder();
    const challenge = async (): Promise<string> => bodyOf(await by.post('/v1/operators/chain_key/challenge'), 200).challenge;
    const set = (signature: string) => by.post('/v1/operators/chain_key', { chain_key: holder.address, signature });
    expect(invalidFields(await set(holder.signText('anything')))).toEqual(['signature']);
    const first = await challenge();
    expect(invalidFields(await set(holder.signText(`${first}.`)))).toEqual(['signature']);
    expect(invalidFields(await set(new ChainKeyHolder().signText(first)))).toEqual(['signature']);
    await challenge();
    expect(invalidFields(await set(holder.signText(first)))).toEqual(['signature']);
    const last = await challenge();
    const { operator_id: id } = bodyOf(await by.get('/v1/operators/me'), 200);
    await query('UPDATE operators SET chain_key_challenge_until = now() WHERE id = $1', [id]);
    expect(invalidFields(await set(holder.signText(last)))).toEqual(['signature']);
    expect(invalidFields(await by.post('/v1/operators/chain_key', { chain_key: 'x', signature: 'y' }))).toEqual(['chain_key', 'signature']);
  });

  test('a signature is accepted in base64, base58 and hexadecimal, and an operator without accounts signs nothing else', async () => {
    const by = await anOperator();
    const encodings = [
      (bytes: Buffer) => bytes.toString('base64'),
      (bytes: Buffer) => bs58.encode(bytes),
      (bytes: Buffer) => bytes.toString('hex'),
    ];
    for (const encode of encodings) {
      const holder = new ChainKeyHolder();
      const { challenge } = bodyOf(await by.post('/v1/operators/chain_key/challenge'), 200);
      const signature = encode(Buffer.from(holder.signText(challenge), 'base64'));
      bodyOf(await by.post('/v1/operators/chain_key', { chain_key: holder.address, signature }), 202);
      await untilHeldBy(by, holder);
    }
  });

  test('twelve accounts are handed from one external key to another by two signatures, and back to the service by two', async () => {
    const { by, holder } = await anExternalOperator();
    const accounts = await Promise.all(Array.from({ length: 12 }, () => anAccount({ by })));
    const next = new ChainKeyHolder();
    const handed = await holder.complete(by, await next.accept(by));
    expect(handed).toMatchObject({ signatures: 2, body: { chain_key: next.address, chain_key_custody: 'external' } });
    expect(new Set(await Promise.all(accounts.map(operatorOnChain)))).toEqual(new Set([next.address]));
    const back = await next.complete(by, await by.post('/v1/operators/rotate_key'));
    expect(back).toMatchObject({ status: 200, signatures: 2 });
    expect(bodyOf(await by.get('/v1/operators/me'), 200)).toMatchObject({ chain_key: back.body.chain_key, chain_key_custody: 'service' });
    expect(new Set(await Promise.all(accounts.map(operatorOnChain)))).toEqual(new Set([back.body.chain_key]));
    await setPolicy(accounts[0] ?? { id: '' }, { max_daily_spend: 5 }, by);
  });

  test('a request that is renewed after the service took the key back is done without a signature, and answered with 409', async () => {
    const { by, holder } = await anExternalOperator();
    const { id } = await anAccount({ by });
    const { signature_request_id } = bodyOf(await by.put(`/v1/accounts/${id}/policy`, { max_daily_spend: 5 }), 202);
    await holder.complete(by, await by.post('/v1/operators/rotate_key'));
    const renew = () => by.post(`/v1/signature_requests/${signature_request_id}/renew`);
    for (let count = 0; count < 2; count++) expect(bodyOf(await renew(), 409)).toMatchObject({ status: 'completed' });
    expect(bodyOf(await by.get(`/v1/accounts/${id}/policy`), 200)).toMatchObject({ max_daily_spend: 5, version: 2 });
  });

  test('while the accounts are handed over, another key is answered with 409', async () => {
    const { by, holder } = await anExternalOperator();
    await anAccount({ by });
    const next = new ChainKeyHolder();
    const asked = bodyOf(await next.accept(by), 202);
    expect(bodyOf(await new ChainKeyHolder().accept(by), 409)).toMatchObject({ status: 'handing_over' });
    expect(bodyOf(await by.post('/v1/operators/rotate_key'), 409)).toMatchObject({ status: 'handing_over' });
    expect(await holder.complete(by, { status: 202, body: asked, headers: new Headers() })).toMatchObject({ status: 202, signatures: 1 });
    await untilHeldBy(by, next);
  });
});

test('a database restored from before the hand-over answers 409 until the accounts are handed to the same key again', async () => {
  const by = await anOperator();
  const account = await anAccount({ by });
  const { operator_id: id } = bodyOf(await by.get('/v1/operators/me'), 200);
  const [old] = await query('SELECT chain_key, chain_key_sealed FROM operators WHERE id = $1', [id]);
  const holder = new ChainKeyHolder();
  bodyOf(await holder.accept(by), 202);
  await untilHeldBy(by, holder);
  await query('UPDATE operators SET chain_key = $2, chain_key_sealed = $3 WHERE id = $1', [id, old?.chain_key, old?.chain_key_sealed]);
  expect(bodyOf(await by.put(`/v1/accounts/${account.id}/policy`, { max_daily_spend: 1 }), 409)).toMatchObject({
    status: 'unknown_chain_key',
  });
  bodyOf(await holder.accept(by), 202);
  await untilHeldBy(by, holder);
  const asked = await by.put(`/v1/accounts/${account.id}/policy`, { max_daily_spend: 1 });
  expect(await holder.complete(by, asked)).toMatchObject({ status: 200, body: { max_daily_spend: 1 } });
});

describe('with an external chain key', () => {
  let by: Api;
  let holder: ChainKeyHolder;
  beforeAll(async () => {
    ({ by, holder } = await anExternalOperator());
  });

  test('a policy changes only with the signature, once, and the answer is that of the first call', async () => {
    const account = await anAccount({ by });
    const answer = await by.put(`/v1/accounts/${account.id}/policy`, { max_daily_spend: 7, paused: true });
    const asked = bodyOf(answer, 202);
    expect(asked).toMatchObject({
      status: 'signature_required',
      summary: [
        `The policy of test (${account.id}) is changed.`,
        'The limit in any 24 hours changes from none to 7 USDC.',
        'The account is paused: it pays nothing.',
      ],
    });
    expect(bodyOf(await by.get(`/v1/accounts/${account.id}/policy`), 200)).toMatchObject({ version: 1, max_daily_spend: null });
    expect(await auditOf(by, account.id)).toEqual(['account.created']);
    const transaction = holder.signTransaction(asked);
    const done = await submit(by, asked.signature_request_id, transaction);
    expect(done).toMatchObject({ status: 200, body: { version: 2, max_daily_spend: 7, paused: true } });
    expect(done.headers.get('etag')).toBe('"2"');
    const again = await submit(by, asked.signature_request_id, transaction);
    expect(again).toMatchObject({ status: 200, body: done.body });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await auditOf(by, account.id)).toEqual(['policy.changed', 'account.created']);
  });

  test('128 counterparties and 32 categories take a signature for each transaction', async () => {
    const account = await anAccount({ by });
    const allowed_counterparties = Array.from({ length: 128 }, () => Keypair.generate().publicKey.toBase58());
    const categories = Array.from({ length: 32 }, (_, index) => `category-${index}`);
    const done = await holder.complete(by, await by.put(`/v1/accounts/${account.id}/policy`, { allowed_counterparties, categories }));
    expect(done).toMatchObject({ status: 200, body: { version: 2 } });
    expect(new Set(done.body.allowed_counterparties)).toEqual(new Set(allowed_counterparties));
    expect(await auditOf(by, account.id)).toEqual(['policy.changed', 'account.created']);
  });

  test('transfers inside the policy settle without the operator, and one above the threshold only with its signature', async () => {
    const [payer, payee] = [await anAccount({ by, usdc: '10' }), await anAccount({ by })];
    await holder.complete(by, await by.put(`/v1/accounts/${payer.id}/policy`, { escalation_threshold: 5 }));
    bodyOf(await by.post('/v1/transfers', order(payer, payee, '1')), 200);
    const waiting = bodyOf(await by.post('/v1/transfers', order(payer, payee, '5')), 202);
    const approve = () => by.post(`/v1/transfers/${waiting.transfer_id}/approve`);
    const asked = bodyOf(await approve(), 202);
    expect(asked).toMatchObject({ summary: [`test (${payer.id}) pays 5.000000 USDC to ${payee.id}: transfer ${waiting.transfer_id}.`] });
    expect(bodyOf(await by.get(`/v1/transfers/${waiting.transfer_id}`), 200)).toMatchObject({ status: 'pending_approval' });
    expect(await balanceOf(payee, by)).toBe('1.000000');
    const transaction = holder.signTransaction(asked);
    const answers = await Promise.all([1, 2, 3].map(() => submit(by, asked.signature_request_id, transaction)));
    const done = answers.filter(({ status }) => status === 200);
    expect(done.length).toBeGreaterThan(0);
    for (const { body } of done) expect(body).toMatchObject({ transfer_id: waiting.transfer_id, status: 'settled' });
    for (const { status } of answers) expect([200, 409]).toContain(status);
    expect(await balanceOf(payee, by)).toBe('6.000000');
    expect((await auditOf(by, waiting.transfer_id)).filter((action) => action === 'transfer.approved')).toHaveLength(1);
  });

  test('sessions, top-ups and purses above the threshold open with the signature', async () => {
    const payer = await anAccount({ by, usdc: '30' });
    await holder.complete(by, await by.put(`/v1/accounts/${payer.id}/policy`, { escalation_threshold: 5 }));
    const approved = async (path: string) => holder.complete(by, await by.post(`${path}/approve`));
    const { owner: payee } = await anOutsider();
    const wanted = { account_id: payer.id, provider: 'https://api.example.com', payee, cap: '6', idempotency_key: 'session' };
    const path = `/v1/sessions/${bodyOf(await by.post('/v1/sessions', wanted), 202).session_id}`;
    expect(await approved(path)).toMatchObject({ status: 201, signatures: 1, body: { status: 'open', cap_usdc: '6.000000' } });
    bodyOf(await by.post(`${path}/top_up`, { amount: '5', idempotency_key: 'top-up' }), 202);
    expect(await approved(path)).toMatchObject({ status: 201, signatures: 1, body: { status: 'open', cap_usdc: '11.000000' } });
    const purse = bodyOf(await by.post('/v1/purses', { account_id: payer.id, amount: '7', idempotency_key: 'purse' }), 202);
    expect(await approved(`/v1/purses/${purse.purse_id}`)).toMatchObject({ status: 201, signatures: 1, body: { status: 'open' } });
  });

  test('an authority is rotated with the signature, and the account pays with the new one', async () => {
    const [payer, payee] = [await anAccount({ by, usdc: '2' }), await anAccount({ by })];
    const rotated = await holder.complete(by, await by.post(`/v1/accounts/${payer.id}/rotate_authority`));
    expect(rotated).toMatchObject({ status: 200, signatures: 1 });
    bodyOf(await by.post('/v1/transfers', order(payer, payee, '1')), 200);
    expect(await auditOf(by, payer.id)).toEqual(['authority_key.rotated', 'account.created']);
  });

  test('an account is closed, and swept, with the signature', async () => {
    const [account, other] = [await anAccount({ by, usdc: '2' }), await anAccount({ by })];
    const asked = await by.post(`/v1/accounts/${account.id}/close`, { destination: other.id });
    expect(asked.status).toBe(202);
    expect(bodyOf(await by.get(`/v1/accounts/${account.id}`), 200)).toMatchObject({ status: 'active' });
    expect(await holder.complete(by, asked)).toMatchObject({ status: 200, body: { status: 'closed' } });
    expect(await balanceOf(other, by)).toBe('2.000000');
    expect(await auditOf(by, account.id)).toEqual(['account.closed', 'account.created']);
  });
});
