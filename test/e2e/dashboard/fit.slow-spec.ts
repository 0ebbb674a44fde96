/** Long texts in the dashboard: each row and each fact keeps its place, on a wide screen and on a phone, and dialogs begin at their button. */
import type { Browser, Locator, Page } from 'playwright-core';
import { api, type Api } from '../../support/api';
import { startBrowser } from '../../support/browser';
import { newDashboardPage, signIn } from '../../support/dashboard-page';
import { fillHistory } from '../../support/history';
import { newOperatorKey } from '../../support/operators';
import { sharedService } from '../../support/service';
import { sharedBrowser } from '../../support/shared-browser';
import { anAccount, bodyOf, pay, query } from '../../support/world';

jest.setTimeout(120_000);

const found = sharedBrowser();
const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const LONG_NAME = 'Research agent for the European market 011';
/** Nothing listens at port 9. */
const LONG_URL =
  'http://127.0.0.1:9/customers/acme-hosting-and-services/environments/production/receivers/agent-payment-service/incoming-events';

(found ? describe : describe.skip)('the dashboard with long texts', () => {
  let browser: Browser;
  let page: Page;
  let operator: Api;
  let webhookId: string;
  const complaints: string[] = [];
  const open = async (path: string): Promise<void> => {
    await page.goto(`${sharedService().baseUrl}/dashboard${path}`);
    await page.locator('main h1').waitFor();
    await page.locator('.loading').first().waitFor({ state: 'detached' });
  };
  const heightsOf = (all: Locator): Promise<number[]> =>
    all.evaluateAll((elements) => elements.map((element) => Math.round(element.getBoundingClientRect().height)));

  beforeAll(async () => {
    if (!found) return;
    const key = await newOperatorKey(sharedService());
    operator = api(sharedService().baseUrl, key);
    const policy = { escalation_threshold: 1 };
    const accounts = [await anAccount({ usdc: '9', policy, by: operator }), await anAccount({ by: operator })] as const;
    bodyOf(await operator.patch(`/v1/accounts/${accounts[0].id}`, { name: LONG_NAME }), 200);
    const { operator_id: operatorId } = bodyOf(await operator.get('/v1/me'), 200);
    await fillHistory(query, { operatorId, accountIds: accounts.map(({ id }) => id), transfers: 5, payments: 1 });
    bodyOf(await pay(...accounts, '2', {}, operator), 202);
    webhookId = bodyOf(
      await operator.post('/v1/webhooks', { url: LONG_URL, events: ['transfer.settled', 'escalation.required'] }),
      201,
    ).webhook_id;
    bodyOf(await operator.post(`/v1/webhooks/${webhookId}/test`), 202);
    browser = await startBrowser(found);
    page = await newDashboardPage(browser, complaints, { viewport: DESKTOP, timezoneId: 'Europe/Berlin' });
    await page.goto(`${sharedService().baseUrl}/dashboard/`);
    await signIn(page, key);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    page.setDefaultTimeout(10_000);
  });
  afterAll(() => browser?.close());
  beforeEach(() => page.setViewportSize(DESKTOP));
  afterEach(() => expect(complaints).toEqual([]));

  test('the list of webhooks shows all columns of a webhook with a long URL on 1,440 px', async () => {
    await open('/webhooks');
    await page.locator('tbody tr').first().waitFor();
    expect(await page.locator('.table-box').evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
  });

  test('the URL on the page of a webhook breaks after its slashes only, also on a phone', async () => {
    await page.setViewportSize(PHONE);
    await open(`/webhooks/${webhookId}`);
    const address = page.locator('.facts > div', { has: page.getByText('Address', { exact: true }) }).locator('code');
    expect(await address.innerText()).toBe(LONG_URL);
    const parts = address.locator('span');
    expect((await parts.allInnerTexts()).slice(0, 2)).toEqual(['http://127.0.0.1:9/', 'customers/']);
    const [line = 0] = await heightsOf(parts);
    expect(new Set(await heightsOf(parts))).toEqual(new Set([line]));
    expect((await address.boundingBox())?.height).toBeGreaterThan(line);
  });

  test('a delivery that waits says in which time it is sent again', async () => {
    await open(`/webhooks/${webhookId}`);
    await page
      .getByRole('row')
      .getByText(/^\s*again in (a minute|\d+ min|\d+ h)$/)
      .waitFor();
  });

  test('an entry of the audit log is one row of 36 px, which shows all its changes when it is opened', async () => {
    await open('/audit?action=webhook.created');
    const row = page.locator('tbody tr').first();
    await row.waitFor();
    expect(await heightsOf(row)).toEqual([36]);
    expect(await row.getByText('Status: active', { exact: true }).isVisible()).toBe(false);
    await row.locator('summary').click();
    await row.getByText('Status: active', { exact: true }).waitFor();
  });

  test('the id of a row stands where the row before it ends on a phone, and is not moved to the right', async () => {
    await page.setViewportSize(PHONE);
    await open('/audit');
    const cell = page.locator('tbody td', { has: page.locator('.id') }).first();
    await cell.waitFor();
    const margin = await page.evaluate<string>("getComputedStyle(document.querySelector('tbody td:has(.id)')).marginLeft");
    expect(margin).toBe('0px');
  });

  test('no fact of a webhook or an account wraps beside a free column on a phone', async () => {
    await page.setViewportSize(PHONE);
    const { account_id } = bodyOf(await operator.get('/v1/accounts?limit=1'), 200).data[0];
    bodyOf(await operator.patch(`/v1/accounts/${account_id}`, { labels: ['night'] }), 200);
    const wrapped: string[] = [];
    for (const [path, last] of [
      [`/webhooks/${webhookId}`, 'Webhook id'],
      [`/accounts/${account_id}`, 'USDC token account'],
    ] as const) {
      await open(path);
      await page.locator('.facts').getByText(last, { exact: true }).waitFor();
      const facts = await page
        .locator('.facts')
        .first()
        .locator('> div')
        .evaluateAll((all) =>
          all.map((fact) => {
            const { top, right, height } = fact.getBoundingClientRect();
            return { text: fact.textContent, top, right, height };
          }),
        );
      const [line, edge] = [Math.min(...facts.map(({ height }) => height)), Math.max(...facts.map(({ right }) => right))];
      const isAlone = ({ top, right }: { top: number; right: number }): boolean =>
        right < edge && !facts.some((other) => other.top === top && other.right > right);
      wrapped.push(...facts.filter((fact) => fact.height > line * 1.3 && isAlone(fact)).map(({ text }) => `${path}: ${text}`));
    }
    expect(wrapped).toEqual([]);
  });

  test('the method, the URL and the button that copies it are one line on the page of a payment on 1,440 px', async () => {
    const { payment_id } = bodyOf(await operator.get('/v1/payments?limit=1'), 200).data[0];
    await open(`/payments/${payment_id}`);
    const fact = page.locator('.facts > div', { has: page.getByText('URL', { exact: true }) }).locator('dd');
    expect((await fact.boundingBox())?.height).toBeLessThan(36);
  });

  test('what needs attention has one line for an account with a long name', async () => {
    await open('/');
    const items = page.locator('.need li');
    await items.filter({ hasText: LONG_NAME }).first().waitFor();
    const heights = await heightsOf(items);
    expect(Math.max(...heights)).toBeLessThan(30);
  });

  test('the dialogs of an approval name both parties, and begin at Approve and at the reason', async () => {
    await open('/approvals');
    await page.getByRole('table', { name: 'Approvals' }).locator('tbody tr').first().waitFor();
    const focused = (): Promise<unknown> => page.evaluate('document.activeElement.textContent || document.activeElement.tagName');
    const dialog = page.getByRole('dialog');
    for (const [key, wanted] of [
      ['a', 'Approve'],
      ['d', 'INPUT'],
    ] as const) {
      await page.keyboard.press('j');
      await page.keyboard.press(key);
      await dialog.waitFor();
      for (const name of [LONG_NAME, 'test']) await dialog.getByRole('link', { name, exact: true }).waitFor();
      expect(await focused()).toBe(wanted);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('a');
    await dialog.waitFor();
    expect(await focused()).toBe('Approve');
    await page.keyboard.press('Escape');
  });

  test('keys that are pressed as soon as the rows of the approvals are shown are not lost', async () => {
    const fresh = await page.context().newPage();
    await fresh.addInitScript(`new MutationObserver((_changes, observer) => {
      if (!document.querySelector('table[aria-label="Approvals"] tbody tr')) return;
      observer.disconnect();
      for (const key of ['j', 'd']) document.dispatchEvent(new KeyboardEvent('keydown', { key }));
    }).observe(document, { childList: true, subtree: true })`);
    await fresh.goto(`${sharedService().baseUrl}/dashboard/approvals`);
    await fresh.getByRole('dialog').waitFor();
    await fresh.close();
  });

  test.each([
    ['/overview', '/'],
    ['/api-keys', '/keys'],
    ['/api_keys', '/keys'],
    ['/audit-log', '/audit'],
    ['/events', '/activity'],
  ])('%s leads to %s', async (given, path) => {
    await page.goto(`${sharedService().baseUrl}/dashboard${given}`);
    await page.waitForURL(`${sharedService().baseUrl}/dashboard${path}`);
  });
});
