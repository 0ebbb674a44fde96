import { AgentPayments, type Schemas, SignatureRequired } from '#client';
import { anExternalOperator, type ChainKeyHolder } from '../../support/chain-keys';
import { sharedService } from '../../support/service';
import { anAccount } from '../../support/world';

jest.setTimeout(120_000);

let client: AgentPayments;
let account: { id: string };
let holder: ChainKeyHolder;
beforeAll(async () => {
  const external = await anExternalOperator();
  holder = external.holder;
  account = await anAccount({ by: external.by });
  client = new AgentPayments({ apiKey: external.key, baseURL: sharedService().baseUrl });
});

/** The transaction that a call asks to be signed. */
async function askedBy(call: Promise<unknown>): Promise<SignatureRequired['request']> {
  const thrown = await call.catch((error: unknown) => error);
  if (!(thrown instanceof SignatureRequired)) throw new Error(`no signature is required: ${String(thrown)}`);
  return thrown.request;
}

test('updatePolicy throws SignatureRequired with an external chain key, and submit returns the changed policy', async () => {
  const request = await askedBy(client.accounts.updatePolicy(account.id, { max_daily_spend: 7 }));
  expect(request.summary).toContain('The limit in any 24 hours changes from none to 7 USDC.');
  const { signature_request_id: id } = request;
  const policy = await client.signatureRequests.submit<Schemas['Policy']>(id, { transaction: holder.signTransaction(request) });
  expect(policy).toEqual(await client.accounts.policy(account.id));
  expect(policy).toMatchObject({ version: 2, max_daily_spend: 7 });
  expect(await client.signatureRequests.retrieve(id)).toMatchObject({ status: 'completed', chain_key: holder.address });
});

test('a renewed request is signed instead of the one before, and completed requests are listed', async () => {
  const { signature_request_id: id } = await askedBy(client.accounts.updatePolicy(account.id, { paused: true }));
  const renewed = await client.signatureRequests.renew(id);
  expect(await client.signatureRequests.submit(id, { transaction: holder.signTransaction(renewed) })).toMatchObject({ paused: true });
  const completed = [];
  for await (const { signature_request_id } of client.signatureRequests.list({ status: 'completed', limit: 1 }))
    completed.push(signature_request_id);
  expect(completed).toContain(id);
});

test('rotateKey throws SignatureRequired with an external chain key, and gives the accounts back to the service', async () => {
  const request = await askedBy(client.operator.rotateKey());
  const { signature_request_id: id } = request;
  const rotated = await client.signatureRequests.submit<Schemas['Operator']>(id, { transaction: holder.signTransaction(request) });
  expect(await client.operator.retrieve()).toMatchObject({ chain_key: rotated.chain_key, chain_key_custody: 'service' });
});
