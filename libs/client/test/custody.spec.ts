import { AgentPayments, ConflictError, SignatureRequired } from '../src';
import { FakeService } from './fake-service';

const ASKED = {
  status: 'signature_required',
  signature_request_id: 'sig_1',
  transaction: 'AQ==',
  summary: ['The account is paused: it pays nothing.'],
  expires_at: '2026-01-01T00:00:00.000Z',
  message: 'Sign it.',
};
const CHAIN_KEY = { operator_id: 'op_1', name: 'one', chain_key: 'key', chain_key_custody: 'external', pending_chain_key: null };

let service: FakeService;
let client: AgentPayments;
beforeAll(async () => {
  service = await new FakeService().start();
  client = new AgentPayments({ apiKey: 'k', baseURL: service.url, maxRetries: 0 });
});
afterAll(() => service.stop());

const calls = () => service.received.map(({ method, path }) => `${method} ${path}`);
const thrownBy = (call: Promise<unknown>) => call.then(() => undefined).catch((error: unknown) => error);

test('a signed transaction is submitted, and the answer is that of the action', async () => {
  service.replyWith({ body: { version: 2, paused: true } });
  expect(await client.signatureRequests.submit('sig_1', { transaction: 'AA==' })).toEqual({ version: 2, paused: true });
  expect(service.received[0]).toMatchObject({ method: 'POST', path: '/v1/signature_requests/sig_1', body: { transaction: 'AA==' } });
});

test('submit throws SignatureRequired where a further transaction must be signed, and ConflictError for an expired one', async () => {
  service.replyWith({ status: 202, body: ASKED });
  const further = await thrownBy(client.signatureRequests.submit('sig_1', { transaction: 'AA==' }));
  expect(further).toBeInstanceOf(SignatureRequired);
  expect(further).toMatchObject({ request: ASKED, message: 'Sign it.' });
  service.replyWith({ status: 409, body: { error: 'conflict', status: 'expired', message: 'Too late.' } });
  const expired = await thrownBy(client.signatureRequests.submit('sig_1', { transaction: 'AA==' }));
  expect(expired).toBeInstanceOf(ConflictError);
  expect(expired).toMatchObject({ state: 'expired' });
});

test('a renewed request is returned, not thrown', async () => {
  service.replyWith({ status: 202, body: ASKED });
  expect(await client.signatureRequests.renew('sig_1')).toEqual(ASKED);
  expect(calls()).toEqual(['POST /v1/signature_requests/sig_1/renew']);
});

test('signature requests are a list of pages, by status', async () => {
  const page = (id: string, cursor: string | null) => ({
    body: { data: [{ signature_request_id: id }], cursor, has_more: cursor !== null },
  });
  service.replyWith(page('sig_2', 'c1'), page('sig_1', null));
  const ids: string[] = [];
  for await (const { signature_request_id: id } of client.signatureRequests.list({ status: 'pending' })) ids.push(id);
  expect(ids).toEqual(['sig_2', 'sig_1']);
  expect(calls()).toEqual(['GET /v1/signature_requests?status=pending', 'GET /v1/signature_requests?status=pending&cursor=c1']);
});

test('the operator’s chain key is read, and handed over by the signature of a challenge', async () => {
  service.replyWith({ body: CHAIN_KEY }, { body: { challenge: 'a text', expires_at: ASKED.expires_at } }, { status: 202, body: CHAIN_KEY });
  expect(await client.operator.retrieve()).toEqual(CHAIN_KEY);
  expect(await client.operator.challenge()).toMatchObject({ challenge: 'a text' });
  expect(await client.operator.setChainKey({ chain_key: 'key', signature: 'signed' })).toEqual(CHAIN_KEY);
  expect(calls()).toEqual(['GET /v1/operators/me', 'POST /v1/operators/chain_key/challenge', 'POST /v1/operators/chain_key']);
  expect(service.received[2]?.body).toEqual({ chain_key: 'key', signature: 'signed' });
});

test('setChainKey and rotateKey throw SignatureRequired where the operator holds its key', async () => {
  service.replyWith({ status: 202, body: ASKED });
  for (const call of [client.operator.setChainKey({ chain_key: 'key', signature: 'signed' }), client.operator.rotateKey()])
    expect(await thrownBy(call)).toBeInstanceOf(SignatureRequired);
});
