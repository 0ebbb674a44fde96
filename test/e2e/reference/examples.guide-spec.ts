import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLE_VALUES } from '../../../apps/openapi/src/examples';
import { api, type Api, type Body } from '../../support/api';
import { ChainKeyHolder } from '../../support/chain-keys';
import { startExampleProvider, type ExampleProvider } from '../../support/example-provider';
import { newOperatorKey } from '../../support/operators';
import { startService, type Service } from '../../support/service';
import { mintInto } from '../../support/tokens';
import { anAccount, bodyOf, order, type TestAccount } from '../../support/world';

jest.setTimeout(120_000);

const { paths } = JSON.parse(readFileSync(join(__dirname, '..', '..', '..', 'docs', 'openapi.json'), 'utf8')) as { paths: Body };
const examples = Object.entries<Body>(paths).flatMap(([path, item]) =>
  Object.entries<Body>(item).flatMap(([method, { operationId, requestBody }]) =>
    requestBody
      ? [{ method, path, id: String(operationId), body: requestBody.content['application/json'].examples.example.value as Body }]
      : [],
  ),
);

let service: Service;
let provider: ExampleProvider;
let operator: Api;
beforeAll(async () => {
  service = await startService({ variables: { ALLOW_PRIVATE_URLS: 'true' } });
  provider = await startExampleProvider({}, service);
  operator = api(service.baseUrl, service.operatorKey);
});
afterAll(async () => {
  await provider.stop();
  await service.stop();
});

/** The meaning of an example's values, and the path parameter of its operation. */
interface Objects {
  account: TestAccount;
  other: TestAccount;
  parameter?: string;
  challenge?: string;
  receipt?: string;
  /** Of an operator who holds its chain key itself. */
  chainKey?: string;
  signature?: string;
  transaction?: string;
  /** Another operator than the one of the other examples. */
  by?: Api;
}

const key = (): string => randomUUID();
const aFleet = async (): Promise<string> => bodyOf(await operator.post('/v1/fleets', { name: 'fleet' }), 201).fleet_id;
const waiting = { escalation_threshold: 1 };
const aSession = ({ id }: TestAccount): Body => ({
  account_id: id,
  provider: provider.url,
  payee: provider.payee,
  cap: '2',
  idempotency_key: key(),
});

/** Creates the object of an operation with a path parameter. Returns the parameter and further values. */
const PREPARATIONS: Record<string, (objects: Objects) => Promise<Partial<Objects>>> = {
  'accounts.setPolicy': async ({ account }) => ({ parameter: account.id }),
  'accounts.setFleet': async ({ account }) => ({ parameter: account.id }),
  'accounts.setHosts': async ({ account }) => ({ parameter: account.id }),
  'fleets.change': async () => ({ parameter: await aFleet() }),
  'fleets.setPolicy': async () => ({ parameter: await aFleet() }),
  'fleets.setLimits': async () => ({ parameter: await aFleet() }),
  'accounts.change': async ({ account }) => ({ parameter: account.id }),
  'accounts.close': async ({ account }) => ({ parameter: account.id }),
  'accounts.sweep': async ({ account, other }) => {
    bodyOf(await operator.post(`/v1/accounts/${account.id}/close`, { destination: other.id }), 200);
    await mintInto(account, 1_000_000n, service);
    return { parameter: account.id };
  },
  'transfers.deny': async ({ account, other }) => {
    bodyOf(await operator.put(`/v1/accounts/${account.id}/policy`, waiting), 200);
    return { parameter: bodyOf(await operator.post('/v1/transfers', order(account, other, '2')), 202).transfer_id };
  },
  'providers.put': async () => ({ parameter: 'api.example.com' }),
  'sessions.topUp': async ({ account }) => ({
    parameter: bodyOf(await operator.post('/v1/sessions', aSession(account)), 201).session_id,
  }),
  'sessions.deny': async ({ account }) => {
    bodyOf(await operator.put(`/v1/accounts/${account.id}/policy`, waiting), 200);
    return { parameter: bodyOf(await operator.post('/v1/sessions', aSession(account)), 202).session_id };
  },
  'purses.deny': async ({ account }) => {
    bodyOf(await operator.put(`/v1/accounts/${account.id}/policy`, waiting), 200);
    const purse = { account_id: account.id, amount: '2', idempotency_key: key() };
    return { parameter: bodyOf(await operator.post('/v1/purses', purse), 202).purse_id };
  },
  'payments.authorize': async () => ({ challenge: (await fetch(`${provider.url}/report`)).headers.get('www-authenticate') ?? '' }),
  'payments.receipt': async ({ account }) => {
    const url = `${provider.url}/report`;
    const challenges = [(await fetch(url)).headers.get('www-authenticate')];
    const authorize = { account_id: account.id, idempotency_key: key(), max_amount: '0.05', url, challenges };
    const { payment_id, header, authorization } = bodyOf(await operator.post('/v1/payments/authorize', authorize), 200);
    const paid = await fetch(url, { headers: { [header]: authorization } });
    return { parameter: payment_id, receipt: paid.headers.get('payment-receipt') ?? '' };
  },
  'operators.setChainKey': async () => {
    const [by, holder] = [await anotherOperator(), new ChainKeyHolder()];
    const { challenge } = bodyOf(await by.post('/v1/operators/chain_key/challenge'), 200);
    return { by, parameter: '', chainKey: holder.address, signature: holder.signText(challenge) };
  },
  'signature_requests.submit': async () => {
    const [by, holder] = [await anotherOperator(), new ChainKeyHolder()];
    bodyOf(await holder.accept(by), 202);
    const { id } = await anAccount({ by });
    const asked = bodyOf(await by.put(`/v1/accounts/${id}/policy`, { max_daily_spend: 5 }), 202);
    return { by, parameter: asked.signature_request_id, transaction: holder.signTransaction(asked) };
  },
  'webhooks.change': aWebhook,
  'webhooks.replay': aWebhook,
};

async function anotherOperator(): Promise<Api> {
  return api(service.baseUrl, await newOperatorKey(service));
}

async function aWebhook(): Promise<Partial<Objects>> {
  return { parameter: bodyOf(await operator.post('/v1/webhooks', { url: 'https://example.com/hook' }), 201).webhook_id };
}

/** An example's body with the values of real objects. */
function real(
  body: Body,
  { account, other, challenge = '', receipt = '', chainKey = '', signature = '', transaction = '' }: Objects,
): Body {
  const values: [string, string][] = [
    [EXAMPLE_VALUES.account, account.id],
    [EXAMPLE_VALUES.otherAccount, other.id],
    [EXAMPLE_VALUES.payee, provider.payee],
    [EXAMPLE_VALUES.provider, provider.url],
    [EXAMPLE_VALUES.challenge, challenge],
    [EXAMPLE_VALUES.receipt, receipt],
    [EXAMPLE_VALUES.chainKey, chainKey],
    [EXAMPLE_VALUES.signature, signature],
    [EXAMPLE_VALUES.transaction, transaction],
  ];
  const replaced = (text: string): string => values.reduce((result, [from, to]) => result.replaceAll(from, to), text);
  return JSON.parse(JSON.stringify(body), (_name, value: unknown) => (typeof value === 'string' ? replaced(value) : value));
}

test.each(examples)('the example of $id succeeds', async ({ id, method, path, body }) => {
  const [account, other] = await Promise.all([anAccount({ usdc: '50', by: operator }), anAccount({ by: operator })]);
  const objects: Objects = { account, other };
  Object.assign(objects, await PREPARATIONS[id]?.(objects));
  const url = path.replace(/\{\w+\}/, objects.parameter ?? 'no-preparation');
  const { by = operator } = objects;
  const send = { post: by.post, put: by.put, patch: by.patch }[method];
  const answer = await send?.(url, real(body, objects));
  expect(answer).toMatchObject({ status: expect.any(Number), body: expect.not.objectContaining({ error: expect.anything() }) });
  expect(Math.floor((answer?.status ?? 0) / 100)).toBe(2);
});
