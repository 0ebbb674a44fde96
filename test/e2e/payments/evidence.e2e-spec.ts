import { createHash, randomUUID } from 'node:crypto';
import { anOutsider } from '../../support/outsider';
import type { Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { PurseStage } from '../../support/purses';
import { startRogueProvider, type RogueProvider } from '../../support/rogue-provider';
import { type SharedService, sharedService } from '../../support/service';
import { startStockChargeProvider, type StockChargeProvider } from '../../support/stock-charges';
import { anAccount, anAgent, anonymous, bodyOf, operator, query, setPolicy, stranger, type TestAccount } from '../../support/world';

jest.setTimeout(120_000);

let stage: PurseStage<SharedService>;
let mpp: StockChargeProvider;
let rogue: RogueProvider;
let account: TestAccount;
beforeAll(async () => {
  stage = await PurseStage.on(sharedService());
  mpp = await startStockChargeProvider(sharedService(), stage.payee.address);
  rogue = await startRogueProvider((await anOutsider()).owner);
  account = await anAccount({ usdc: '10' });
});
afterAll(async () => {
  mpp.stop();
  rogue.stop();
  await stage.stop();
});

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');
const order = (url: string, more: Body = {}, request: Body = {}, { id } = account): Body => ({
  account_id: id,
  idempotency_key: randomUUID(),
  max_amount: '1',
  request: { method: 'GET', url, ...request },
  ...more,
});
const evidence = async (id: string): Promise<Body> => bodyOf(await operator().get(`/v1/payments/${id}/evidence`), 200);
/** A payment that is paid, and its evidence. */
async function paid(body: Body): Promise<{ payment: Body; proof: Body }> {
  const { payment_id: id } = (await operator().post('/v1/payments', body)).body;
  const payment = await eventually(async () => {
    const shown = bodyOf(await operator().get(`/v1/payments/${id}`), 200);
    expect(shown.status).toBe('paid');
    return shown;
  });
  return { payment, proof: await evidence(id) };
}

test('evidence of an x402 charge has the 402, the policy, the credential, the transaction and the verified offer and receipt', async () => {
  await setPolicy(account, { max_single_transfer: 5 });
  const url = `${stage.stock.url}/signed?key=secret`;
  const { payment, proof } = await paid(order(url, {}, { headers: { 'X-Api-Key': 'abc', Accept: 'application/json' } }));
  expect(proof).toEqual({
    payment_id: payment.payment_id,
    request: {
      method: 'GET',
      url: `${stage.stock.url}/signed`,
      headers: { 'X-Api-Key': sha256('abc'), Accept: 'application/json' },
      body_sha256: sha256(''),
    },
    challenge: {
      status: 402,
      headers: expect.objectContaining({ 'payment-required': expect.any(String) }),
      body_base64: expect.any(String),
    },
    decision: { policy: expect.objectContaining({ max_single_transfer: 5 }), version: expect.any(Number), rules: [], approval: null },
    credential: { header: 'payment-signature', value: expect.any(String) },
    transaction: { signature: payment.tx_signature, slot: expect.any(Number) },
    response: {
      status: 200,
      headers: expect.objectContaining({ 'payment-response': payment.receipt }),
      body_sha256: sha256(Buffer.from(payment.response.body_base64, 'base64')),
    },
    receipts: [
      { kind: 'offer', raw: expect.any(String), signer: expect.stringMatching(/^did:key:z/), verified: true, reason: null },
      { kind: 'payment_response', raw: payment.receipt, signer: null, verified: false, reason: 'It is not signed.' },
      { kind: 'receipt', raw: expect.any(String), signer: expect.stringMatching(/^did:key:z/), verified: true, reason: null },
    ],
  });
});

test('evidence of an MPP charge has its Payment-Receipt, and is the same after a policy change and after the answer is forgotten', async () => {
  const { payment, proof } = await paid(order(`${mpp.url}/report`));
  expect(proof).toMatchObject({
    challenge: { headers: { 'www-authenticate': expect.stringMatching(/^Payment /) } },
    transaction: { signature: payment.tx_signature, slot: expect.any(Number) },
    receipts: [{ kind: 'payment_receipt', verified: false, reason: 'It is not signed.' }],
  });
  await setPolicy(account, { max_single_transfer: 6 });
  await query(
    'UPDATE payments SET response_sealed = NULL, response_bytes = NULL, response_status = NULL, request_sealed = NULL WHERE id = $1',
    [payment.payment_id],
  );
  expect(JSON.stringify(await evidence(payment.payment_id))).toBe(JSON.stringify(proof));
});

test('evidence of a voucher has the credential and no transaction, and of an answer passed on as it comes the digest of all of it', async () => {
  const session = { account_id: account.id, provider: rogue.url, payee: rogue.payee, cap: '0.1', idempotency_key: randomUUID() };
  const { session_id } = bodyOf(await operator().post('/v1/sessions', session), 201);
  rogue.behave({
    paid: (response, sent) => void response.writeHead(200, { 'Payment-Receipt': rogue.receipt(sent) }).end('z'.repeat(1_048_577)),
  });
  bodyOf(await operator().put(`/v1/providers/${new URL(rogue.url).host}`, { max_bytes: 2_000_000 }), 200);
  const { baseUrl, operatorKey } = sharedService();
  const live = await fetch(`${baseUrl}/v1/payments`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${operatorKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(order(`${rogue.url}/data`, { session_id }, { stream: true })),
  });
  const text = await live.text();
  const proof = await eventually(async () => {
    const shown = await evidence(String(live.headers.get('Payment-Id')));
    expect(shown.response.body_sha256).not.toBeNull();
    return shown;
  });
  expect(proof).toMatchObject({ credential: { header: 'Authorization' }, transaction: null, receipts: [{ kind: 'payment_receipt' }] });
  expect(proof.response).toEqual({ status: 200, headers: expect.anything(), body_sha256: sha256(text) });
});

test('evidence of a payment out of an approved purse has the approval', async () => {
  const agent = await anAccount({ usdc: '2', policy: { escalation_threshold: 1 } });
  const { purse_id } = bodyOf(await (await anAgent(agent)).post('/v1/purses', stage.request(agent, '1')), 202);
  bodyOf(await operator().post(`/v1/purses/${purse_id}/approve`), 201);
  const { proof } = await paid(order(`${stage.stock.url}/signed`, {}, {}, agent));
  expect(proof.decision.approval).toEqual({ id: purse_id, approved_by: expect.stringMatching(/^key_/), approved_at: expect.any(String) });
  expect(proof.receipts.map(({ kind, verified }: Body) => [kind, verified])).toEqual([
    ['offer', true],
    ['payment_response', false],
    ['receipt', true],
  ]);
});

test('evidence of a declined payment has the 402 and the rule, and nothing that was sent', async () => {
  const { payment_id } = bodyOf(await operator().post('/v1/payments', order(`${stage.stock.url}/report`, { max_amount: '0.009999' })), 402);
  expect(await evidence(payment_id)).toMatchObject({
    challenge: { status: 402 },
    decision: { rules: [{ rule: 'max_amount', limit_usdc: '0.009999' }], approval: null },
    credential: null,
    transaction: null,
    response: null,
    receipts: [],
  });
});

test('evidence of what costs nothing has request and answer alone', async () => {
  const { payment_id } = bodyOf(await operator().post('/v1/payments', order(`${stage.stock.url}/free`)), 200);
  expect(await evidence(payment_id)).toMatchObject({
    request: { method: 'GET' },
    challenge: null,
    decision: null,
    credential: null,
    transaction: null,
    response: { status: 200, body_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    receipts: [],
  });
});

test('evidence of an authorized credential has the 402 that the agent handed over', async () => {
  const url = `${stage.stock.url}/report`;
  const asked = String((await fetch(url)).headers.get('payment-required'));
  const body = { account_id: account.id, idempotency_key: randomUUID(), max_amount: '1', url, payment_required: asked };
  const { payment_id, authorization } = bodyOf(await operator().post('/v1/payments/authorize', body), 200);
  expect(await evidence(payment_id)).toMatchObject({
    request: { method: null, url, headers: null, body_sha256: null },
    challenge: { status: 402, headers: { 'payment-required': asked } },
    credential: { header: 'payment-signature', value: authorization },
    response: null,
  });
});

test("evidence is shown to an agent key of the account, and is 404 for one of another account and for another operator's key", async () => {
  const { payment_id } = bodyOf(await operator().post('/v1/payments', order(`${stage.stock.url}/free`)), 200);
  const path = `/v1/payments/${payment_id}/evidence`;
  bodyOf(await (await anAgent(account)).get(path), 200);
  for (const by of [await anAgent(await anAccount()), stranger()]) expect((await by.get(path)).status).toBe(404);
  expect((await anonymous().get(path)).status).toBe(401);
  expect((await operator().get('/v1/payments/pay_0/evidence')).status).toBe(404);
});
