import { createECDH, type ECDH, randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { decrypt } from 'http_ece';
import { startApp, type TestApp } from '../../../../test/support/app';
import { OutboxService } from '../events/outbox.service';
import { OperatorsService } from '../keys/operators/operators.service';
import { PushMessagesStore } from './sending/push-messages.store';
import { PushJob } from './sending/push.job';
import { listening } from '../../../../test/support/listening';

let service: TestApp;
let pushService: PushService;

beforeAll(async () => {
  service = await startApp({ variables: { ALLOW_PRIVATE_URLS: 'true' } });
});
afterAll(() => service.close());
beforeEach(async () => {
  pushService = await startPushService();
});
afterEach(async () => {
  pushService.server.close();
  await service.database.query('DELETE FROM push_subscriptions');
  // An order that waited in one test is older than the browsers of the next.
  service.clock.advance({ seconds: 1 });
});

/** The push service of browsers: keeps every message, and answers with `status`. */
interface PushService {
  server: Server;
  url: string;
  status: number;
  messages: { path: string; headers: IncomingHttpHeaders; body: Buffer }[];
}

async function startPushService(): Promise<PushService> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      started.messages.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) });
      response.writeHead(started.status).end();
    });
  });
  const started: PushService = { server, url: await listening(server), status: 201, messages: [] };
  return started;
}

interface TestBrowser {
  endpoint: string;
  key: ECDH;
  auth: string;
  keys: { p256dh: string; auth: string };
}

function aBrowser(name = 'browser'): TestBrowser {
  const key = createECDH('prime256v1');
  key.generateKeys();
  const auth = randomBytes(16).toString('base64url');
  return { endpoint: `${pushService.url}/${name}`, key, auth, keys: { p256dh: key.getPublicKey('base64url'), auth } };
}

const subscribe = ({ endpoint, keys }: Pick<TestBrowser, 'endpoint' | 'keys'>, key?: string) =>
  service.send('post', '/dashboard/push/subscriptions', key).send({ endpoint, keys });

async function aSubscribedBrowser(name?: string, key?: string): Promise<TestBrowser> {
  const browser = aBrowser(name);
  await subscribe(browser, key).expect(204);
  return browser;
}

/** Records that a transfer waits for approval. */
async function escalate(operatorId = service.operatorId): Promise<void> {
  const accountId = await service.insertAccount(operatorId);
  const expiresAt = new Date(service.clock.now().getTime() + 3_600_000).toISOString();
  const data = {
    transfer_id: 'tr_1',
    account_id: accountId,
    amount_usdc: '12.500000',
    to: 'shop',
    memo: null,
    threshold_usdc: '10.000000',
    expires_at: expiresAt,
  };
  const event = { operatorId, accountId, type: 'escalation.required', data } as const;
  await service.database.transaction((manager) => service.app.get(OutboxService).record(manager, event));
}

const runJob = (): Promise<void> => service.app.get(PushJob).run();
const subscriptions = async (): Promise<number> => (await service.database.query('SELECT 1 FROM push_subscriptions')).length;
const statuses = async (): Promise<string[]> =>
  (await service.database.query('SELECT status FROM push_messages')).map(({ status }: { status: string }) => status);

test('a subscribed browser gets one encrypted message of an order that waits, also when the job runs twice at once', async () => {
  const browser = await aSubscribedBrowser();
  await escalate();
  await Promise.all([runJob(), runJob()]);
  await runJob();
  expect(pushService.messages).toHaveLength(1);
  const [message] = pushService.messages;
  const plain = decrypt(message?.body ?? Buffer.of(), { version: 'aes128gcm', privateKey: browser.key, authSecret: browser.auth });
  expect(JSON.parse(plain.toString())).toMatchObject({ title: expect.stringContaining('12.500000 USDC'), path: '/approvals' });
  expect(message?.headers).toMatchObject({
    'content-encoding': 'aes128gcm',
    urgency: 'high',
    authorization: expect.stringMatching(/^vapid t=/),
  });
  expect(Number(message?.headers.ttl)).toBeGreaterThan(3_500);
});

test('the key that the page gets is the one that messages are authorized with, for every process', async () => {
  const { body } = await service.send('get', '/dashboard/push/key').expect(200);
  await aSubscribedBrowser();
  await escalate();
  await runJob();
  expect(pushService.messages[0]?.headers.authorization).toContain(`k=${body.public_key}`);
});

test('a browser gets no message of an order that waited before it subscribed, or of another operator', async () => {
  await escalate();
  const { operator } = await service.app.get(OperatorsService).create('another operator');
  service.clock.advance({ seconds: 1 });
  await aSubscribedBrowser();
  await escalate(operator.id);
  await runJob();
  expect(pushService.messages).toEqual([]);
});

test.each([404, 410])('a subscription whose push service answers %i is removed', async (status) => {
  await aSubscribedBrowser();
  await escalate();
  pushService.status = status;
  await runJob();
  expect(await subscriptions()).toBe(0);
});

test('a message that a push service does not take is sent again after 30 s, 2, 10 and 30 minutes, and has then failed', async () => {
  await aSubscribedBrowser();
  await escalate();
  pushService.status = 503;
  await runJob();
  for (const seconds of [30, 120, 600, 1_800]) {
    const before = pushService.messages.length;
    service.clock.advance({ seconds: seconds - 5 });
    await runJob();
    expect(pushService.messages).toHaveLength(before);
    service.clock.advance({ seconds: 5 });
    await runJob();
    expect(pushService.messages).toHaveLength(before + 1);
  }
  expect(await statuses()).toEqual(['failed']);
  expect(await subscriptions()).toBe(1);
});

test('a message that a push service refuses is not sent again', async () => {
  await aSubscribedBrowser();
  await escalate();
  pushService.status = 400;
  await runJob();
  expect(await statuses()).toEqual(['failed']);
});

test('a message of a process that died after it had claimed it is sent by another one when the lease ends', async () => {
  await aSubscribedBrowser();
  await escalate();
  const messages = service.app.get(PushMessagesStore);
  await messages.create();
  expect(await messages.claim()).toHaveLength(1);
  await runJob();
  expect(pushService.messages).toEqual([]);
  service.clock.advance({ seconds: 30 });
  await runJob();
  expect(pushService.messages).toHaveLength(1);
});

test('a browser whose key was revoked gets no message, and is removed', async () => {
  const { body } = await service.send('post', '/v1/api_keys').send({ type: 'operator', name: 'phone' }).expect(201);
  await aSubscribedBrowser('phone', body.key);
  await service.send('delete', `/v1/api_keys/${body.key_id}`).expect(204);
  await escalate();
  await runJob();
  expect([pushService.messages, await subscriptions()]).toEqual([[], 0]);
});

test('a browser in which another operator signs in gets the messages of that one only', async () => {
  const browser = await aSubscribedBrowser();
  const { operator, key } = await service.app.get(OperatorsService).create('another operator');
  await subscribe(browser, key.key).expect(204);
  await escalate();
  await escalate(operator.id);
  await runJob();
  expect(pushService.messages).toHaveLength(1);
});

test('a browser that unsubscribed gets no message, and only its own operator can unsubscribe it', async () => {
  const browser = await aSubscribedBrowser();
  const { key } = await service.app.get(OperatorsService).create('another operator');
  const unsubscribe = (as?: string) => service.send('delete', '/dashboard/push/subscriptions', as).send({ endpoint: browser.endpoint });
  await unsubscribe(key.key).expect(204);
  expect(await subscriptions()).toBe(1);
  await unsubscribe().expect(204);
  await escalate();
  await runJob();
  expect(pushService.messages).toEqual([]);
});

test('an operator subscribes 50 browsers, and a 51st is a conflict', async () => {
  for (let index = 0; index < 50; index++) await aSubscribedBrowser(`browser-${index}`);
  await subscribe(aBrowser('one-more')).expect(409);
  await aSubscribedBrowser('browser-0');
});

test.each([
  ['a key that is no point', { keys: { p256dh: Buffer.alloc(65, 4).toString('base64url') } }, 'keys.p256dh'],
  ['a short secret', { keys: { auth: 'AAAA' } }, 'keys.auth'],
  ['an endpoint that is no URL', { endpoint: 'push' }, 'endpoint'],
])('a subscription with %s is refused', async (_, { endpoint, keys }: { endpoint?: string; keys?: object }, field) => {
  const browser = aBrowser();
  const body = { endpoint: endpoint ?? browser.endpoint, keys: { ...browser.keys, ...keys } };
  const { body: answer } = await service.send('post', '/dashboard/push/subscriptions').send(body).expect(400);
  expect(answer.details).toEqual([expect.objectContaining({ field })]);
});

test('a push service in a private network is refused outside the sandbox', async () => {
  const strict = await startApp();
  try {
    const { endpoint, keys } = aBrowser();
    await strict.send('post', '/dashboard/push/subscriptions').send({ endpoint, keys }).expect(400);
  } finally {
    await strict.close();
  }
});
