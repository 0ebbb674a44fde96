import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { ProviderStage, type Payer } from '../../support/provider-stage';
import type { Paid } from '../../support/rogue-provider';
import { sharedService } from '../../support/service';
import { anAccount, bodyOf, operator, rpc } from '../../support/world';

jest.setTimeout(90_000);

const MIB = 1_048_576;

let stage: ProviderStage;
let payer: Payer;
beforeAll(async () => {
  stage = await ProviderStage.start(100n);
  payer = await stage.aPayer({ usdc: '1', cap: '0.1' });
});
beforeEach(() => stage.reset());
afterAll(() => stage.stop());

const order = (more: Body = {}, request: Body = {}): Body =>
  stage.order(payer, { request: { method: 'GET', url: `${stage.provider.url}/data`, ...request }, ...more });
/** Not through the client that checks exchanges: the answer is the provider's. */
const post = (body: Body, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> => {
  const { baseUrl, operatorKey } = sharedService();
  const own = { Authorization: `Bearer ${operatorKey}`, 'Content-Type': 'application/json', ...headers };
  return fetch(`${baseUrl}/v1/payments`, { method: 'POST', headers: own, body: JSON.stringify(body), ...(signal && { signal }) });
};
const bodyIn = (answer: Response): Promise<Body> => answer.json();
const EVENTS = { Accept: 'text/event-stream' };
const pinned = (limits: Body) => operator().put(`/v1/providers/${new URL(stage.provider.url).host}`, { max_seconds: 30, ...limits });
const shown = async (id: string | null): Promise<Body> => bodyOf(await operator().get(`/v1/payments/${id}`), 200);
const keptOf = (id: string | null, truncated: true | undefined): Promise<Body> =>
  eventually(async () => {
    const payment = await shown(id);
    expect(payment.response).toMatchObject({ body_base64: expect.stringMatching(/./) });
    expect(payment.response.truncated).toBe(truncated);
    return payment;
  });

/** The provider answers with events, each of which the test sends. */
function live(headers: (paid: Paid) => Record<string, string> = (paid) => ({ 'Payment-Receipt': stage.provider.receipt(paid) })) {
  const opened = new Promise<ServerResponse>((resolve) =>
    stage.provider.behave({
      paid: (response, paid) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Model': 'm-1', 'Set-Cookie': 'a=b', ...headers(paid) });
        response.flushHeaders();
        resolve(response);
      },
    }),
  );
  return { send: async (text: string) => void (await opened).write(text), end: async () => void (await opened).end(), opened };
}

test.each([
  ['Accept: text/event-stream', {}, EVENTS],
  ['request.stream', { stream: true }, {}],
])(
  'with %s headers and chunks of the provider come as they are sent, after Payment-Id and Payment-Status',
  async (_name, request, headers) => {
    const seller = live();
    const body = order({}, request);
    const answer = await post(body, headers);
    const id = answer.headers.get('Payment-Id');
    expect([
      answer.status,
      answer.headers.get('Payment-Status'),
      answer.headers.get('Content-Type'),
      answer.headers.get('X-Model'),
    ]).toEqual([200, 'paid', 'text/event-stream', 'm-1']);
    expect(answer.headers.get('Set-Cookie')).toBeNull();
    expect(await shown(id)).toMatchObject({ status: 'paid', amount_usdc: '0.000100' });
    const reader = answer.body?.getReader();
    for (const event of ['data: one\n\n', 'data: two\n\n']) {
      await seller.send(event);
      expect(Buffer.from((await reader?.read())?.value ?? '').toString()).toBe(event);
    }
    await seller.end();
    expect((await reader?.read())?.done).toBe(true);
    expect((await keptOf(id, undefined)).response.body).toBe('data: one\n\ndata: two\n\n');
    const replay = await post(body, headers);
    expect([replay.headers.get('Idempotent-Replayed'), replay.headers.get('Content-Type')]).toEqual([
      'true',
      'application/json; charset=utf-8',
    ]);
    expect(await replay.json()).toMatchObject({ payment_id: id, status: 'paid' });
  },
);

test('a decline, an answer that serves nothing and a client that prefers JSON get JSON', async () => {
  const declined = await post(order({ max_amount: '0.00001' }), EVENTS);
  expect([declined.status, (await bodyIn(declined)).rejection_reason]).toEqual([402, 'max_amount']);
  stage.provider.behave(stage.provider.alwaysAnswers402());
  expect((await bodyIn(await post(order(), EVENTS))).rejection_reason).toBe('provider_refused');
  stage.provider.behave({ unpaid: (response) => void response.writeHead(404).end('none') });
  expect(await (await post(order(), EVENTS)).json()).toMatchObject({ status: 'free', response: { status: 404, body_base64: 'bm9uZQ==' } });
  stage.provider.behave();
  expect(await (await post(order(), { Accept: 'application/json, text/event-stream' })).json()).toMatchObject({ status: 'paid' });
});

test('what costs nothing is passed on as free, and of it 64 KiB are kept', async () => {
  stage.provider.behave({ unpaid: (response) => void response.writeHead(200, { 'Content-Type': 'text/plain' }).end('x'.repeat(65_537)) });
  const answer = await post(order(), EVENTS);
  expect([answer.headers.get('Payment-Status'), (await answer.text()).length]).toEqual(['free', 65_537]);
  expect((await keptOf(answer.headers.get('Payment-Id'), true)).response.body).toHaveLength(65_536);
});

test('a long body is passed on whole, and its first MiB is kept', async () => {
  bodyOf(await pinned({ max_bytes: 3 * MIB }), 200);
  stage.provider.behave({
    paid: (response, paid) => void response.writeHead(200, { 'Payment-Receipt': stage.provider.receipt(paid) }).end('y'.repeat(3 * MIB)),
  });
  const answer = await post(order(), EVENTS);
  expect((await answer.arrayBuffer()).byteLength).toBe(3 * MIB);
  expect(Buffer.from((await keptOf(answer.headers.get('Payment-Id'), true)).response.body_base64, 'base64')).toHaveLength(MIB);
});

test.each<[string, Body, (seller: ReturnType<typeof live>) => Promise<unknown>]>([
  ['is longer than max_bytes', { max_bytes: 10 }, ({ send }) => send('eleven byte')],
  ['takes longer than max_seconds', { max_seconds: 1 }, ({ send }) => send('begins')],
  ['is cut by the provider', {}, async ({ send, opened }) => (await send('begins'), setTimeout(async () => (await opened).destroy(), 100))],
])('a body that %s ends the connection, and the payment stays paid', async (_name, limits, act) => {
  bodyOf(await pinned(limits), 200);
  const seller = live();
  const answer = await post(order(), EVENTS);
  await act(seller);
  await expect(answer.text()).rejects.toThrow();
  expect(await keptOf(answer.headers.get('Payment-Id'), true)).toMatchObject({
    status: 'paid',
    response: { body: expect.stringMatching(/^(begins|eleven byt)$/) },
  });
});

test('a client that leaves ends the call of the provider, and the payment stays paid', async () => {
  bodyOf(await pinned({}), 200);
  const seller = live();
  const leaving = new AbortController();
  const answer = await post(order(), EVENTS, leaving.signal);
  await seller.send('begins');
  await answer.body?.getReader().read();
  leaving.abort();
  await once(await seller.opened, 'close');
  expect(await keptOf(answer.headers.get('Payment-Id'), true)).toMatchObject({ status: 'paid', response: { body: 'begins' } });
});

test('a provider that settles after its first byte is unknown then, and paid once the chain shows it', async () => {
  const { id } = await anAccount({ usdc: '1' });
  let transaction: string | undefined;
  const seller = live(({ transaction: given }) => ((transaction = given), {}));
  stage.provider.behaviour.unpaid = stage.provider.asks(() => stage.provider.charge());
  const answer = await post(order({ account_id: id, session_id: undefined }), EVENTS);
  expect(answer.headers.get('Payment-Status')).toBe('unknown');
  await rpc('sendTransaction', [transaction, { encoding: 'base64' }]);
  await seller.send('data: late\n\n');
  await seller.end();
  expect(await answer.text()).toBe('data: late\n\n');
  await eventually(async () => expect((await shown(answer.headers.get('Payment-Id'))).status).toMatch(/^paid/), { timeoutMs: 30_000 });
});
