import { createECDH, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { decrypt } from 'http_ece';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { api, type Api } from '../../support/api';
import { startBrowser } from '../../support/browser';
import { sharedBrowser } from '../../support/shared-browser';
import { newDashboardPage, signIn } from '../../support/dashboard-page';
import { eventually } from '../../support/eventually';
import { newOperatorKey } from '../../support/operators';
import { sharedService } from '../../support/service';
import { anAccount, bodyOf, pay, query } from '../../support/world';
import { listening } from '../../support/listening';

jest.setTimeout(200_000);

const found = sharedBrowser();
const withBrowser = found ? describe : describe.skip;

/** The browser's vendor: a push service that keeps what it gets, and the keys of the browser. */
interface Vendor {
  messages: Buffer[];
  endpoint: string;
  keys: { p256dh: string; auth: string };
  /** The text of a message, which only the browser can decrypt. */
  plain(message: Buffer): string;
  close(): void;
}

async function startVendor(): Promise<Vendor> {
  const messages: Buffer[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      messages.push(Buffer.concat(chunks));
      response.writeHead(201).end();
    });
  });
  const url = await listening(server);
  const key = createECDH('prime256v1');
  key.generateKeys();
  const auth = randomBytes(16).toString('base64url');
  const endpoint = `${url}/browser`;
  const plain = (message: Buffer): string => decrypt(message, { version: 'aes128gcm', privateKey: key, authSecret: auth }).toString();
  return { messages, endpoint, keys: { p256dh: key.getPublicKey('base64url'), auth }, plain, close: () => void server.close() };
}

/** A script for a headless Chromium, which grants no permission to notify and reaches no push service of its vendor. */
function withVendor({ endpoint, keys }: Vendor): string {
  return `
    const { endpoint, keys } = ${JSON.stringify({ endpoint, keys })};
    let current = null;
    const subscription = { endpoint, toJSON: () => ({ endpoint, keys }), unsubscribe: async () => { current = null; return true; } };
    Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
    Notification.requestPermission = async () => 'granted';
    PushManager.prototype.getSubscription = async () => current;
    PushManager.prototype.subscribe = async () => (current = subscription);`;
}

withBrowser('notifications of the dashboard', () => {
  const service = sharedService();
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let operator: Api;
  let vendor: Vendor;
  const complaints: string[] = [];

  beforeAll(async () => {
    if (!found) return;
    [browser, vendor] = await Promise.all([startBrowser(found), startVendor()]);
    // An operator of its own: nothing else waits for its approval.
    const key = await newOperatorKey(service);
    operator = api(service.baseUrl, key);
    page = await newDashboardPage(browser, complaints);
    context = page.context();
    await page.addInitScript({ content: withVendor(vendor) });
    await page.goto(`${service.baseUrl}/dashboard/approvals`);
    await signIn(page, key);
    await page.getByRole('heading', { name: 'Approvals' }).waitFor();
  });
  afterAll(async () => {
    vendor.close();
    await browser.close();
  });

  test('a subscribed browser shows a notification of an order that waits, and none after notifications are turned off', async () => {
    await page.getByRole('button', { name: 'Notify me' }).click();
    await page.getByRole('button', { name: 'Turn notifications off' }).waitFor();
    const account = await anAccount({ usdc: '50', policy: { escalation_threshold: 10 }, by: operator });
    const to = await anAccount({ by: operator });
    bodyOf(await pay(account, to, '12', { memo: 'Paper' }, operator), 202);
    await eventually(() => expect(vendor.messages).toHaveLength(1));

    const [title, body] = await shownFor(vendor.plain(vendor.messages[0] as Buffer));
    expect([title, body]).toEqual([
      expect.stringMatching(/^12\.000000 USDC of /),
      expect.stringMatching(/^Transfer to .*: Paper\nWaits until /),
    ]);

    await page.getByRole('button', { name: 'Turn notifications off' }).click();
    await page.getByRole('button', { name: 'Notify me' }).waitFor();
    expect([await subscriptions(), complaints]).toEqual([[], []]);
  });

  /** Hands a message to the service worker, as the browser does with one of its push service. Returns what the worker shows. */
  async function shownFor(data: string): Promise<[title: string, body: string]> {
    const [worker] = context.serviceWorkers();
    if (!worker) throw new Error('There is no service worker.');
    await worker.evaluate(`registration.showNotification = async (title, { body }) => { self.shown = [title, body]; }`);
    const devtools = await context.newCDPSession(page);
    const registered = new Promise<string>((resolve) =>
      devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [registration] }) => {
        if (registration) resolve(registration.registrationId);
      }),
    );
    await devtools.send('ServiceWorker.enable');
    await devtools.send('ServiceWorker.deliverPushMessage', { origin: service.baseUrl, registrationId: await registered, data });
    return eventually(async () => {
      const shown = await worker.evaluate<[string, string] | undefined>('self.shown');
      if (!shown) throw new Error('The worker has shown nothing yet.');
      return shown;
    });
  }

  async function subscriptions(): Promise<unknown[]> {
    const { operator_id: id } = bodyOf(await operator.get('/v1/me'), 200);
    return query('SELECT id FROM push_subscriptions WHERE operator_id = $1', [id]);
  }
});
