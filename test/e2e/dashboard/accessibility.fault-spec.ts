/** Every view of the dashboard in axe, in light and dark, and on a phone. */
import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { accessibilityDefects } from '../../support/accessibility';
import { api, type Api } from '../../support/api';
import { startBrowser } from '../../support/browser';
import { giveWallet } from '../../support/browser-wallet';
import { anExternalOperator } from '../../support/chain-keys';
import { newDashboardPage, signIn } from '../../support/dashboard-page';
import { newOperatorKey } from '../../support/operators';
import { sharedService } from '../../support/service';
import { sharedBrowser } from '../../support/shared-browser';
import { anAccount, bodyOf, pay } from '../../support/world';

jest.setTimeout(180_000);

const found = sharedBrowser();
const withBrowser = found ? describe : describe.skip;

const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1280, height: 860 };

withBrowser('the dashboard in light and dark', () => {
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  beforeAll(async () => {
    if (found) browser = await startBrowser(found);
  });
  afterAll(() => browser?.close());
  beforeEach(async () => void (page = await newDashboardPage(browser, complaints, { viewport: DESKTOP })));
  afterEach(async () => {
    await page.context().close();
    expect(complaints).toEqual([]);
  });

  async function signInWith(key: string): Promise<void> {
    await goto('/');
    await signIn(page, key);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  }
  const goto = (path: string): Promise<unknown> => page.goto(`${sharedService().baseUrl}/dashboard${path}`);
  /** Opens a view and waits for its content. */
  async function view(path: string): Promise<void> {
    await goto(path);
    await page.locator('main h1').waitFor();
    await page.locator('.loading').first().waitFor({ state: 'detached' });
  }

  test('the dashboard has no serious accessibility violation in light and dark, and fits a phone', async () => {
    const key = await newOperatorKey(sharedService());
    const by: Api = api(sharedService().baseUrl, key);
    const policy = { max_daily_spend: 40, escalation_threshold: 20, allowed_counterparties: null };
    const [a, b] = [await anAccount({ by, usdc: '50', policy }), await anAccount({ by })];
    const { transfer_id } = bodyOf(await pay(a, b, '1', { memo: 'x'.repeat(200) }, by), 200);
    bodyOf(await pay(a, b, '30', { memo: 'waiting' }, by), 202);
    const { purse_id } = bodyOf(await by.post('/v1/purses', { account_id: a.id, amount: '2', idempotency_key: randomUUID() }), 201);
    const { fleet_id } = bodyOf(await by.post('/v1/fleets', { name: 'crawlers', limits: { max_daily_spend: 10 } }), 201);
    const { webhook_id } = bodyOf(await by.post('/v1/webhooks', { url: 'http://127.0.0.1:9/' }), 201);
    bodyOf(await by.post(`/v1/webhooks/${webhook_id}/test`), 202);
    await signInWith(key);
    const defects: string[] = [];
    // With a form or a dialog open, if there is one.
    const views: [path: string, opens?: string][] = [
      ['/'],
      ['/', 'Pause all accounts'],
      ['/accounts', 'Create account'],
      [`/accounts/${a.id}`, 'Change policy'],
      ['/transfers'],
      [`/transfers/${transfer_id}`],
      ['/approvals'],
      ['/sessions'],
      ['/purses'],
      [`/purses/${purse_id}`, 'Close'],
      ['/fleets', 'Pause'],
      [`/fleets/${fleet_id}`, 'Change policy'],
      ['/webhooks', 'Create webhook'],
      [`/webhooks/${webhook_id}`],
      ['/keys', 'Create key'],
      ['/audit'],
      ['/nowhere'],
    ];
    for (const [path, opens] of views) {
      await page.setViewportSize(DESKTOP);
      await view(path);
      if (opens !== undefined) await page.getByRole('button', { name: opens }).click();
      defects.push(...(await accessibilityDefects(page)).map((defect) => `${path} ${defect}`));
      await page.setViewportSize(PHONE);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      if (overflow > 0) defects.push(`${path} is ${overflow} px too wide for a phone`);
    }
    expect(defects).toEqual([]);
  });

  test('the signing dialog and the signatures have no serious accessibility violation in light and dark, and fit a phone', async () => {
    const { by, key, holder } = await anExternalOperator();
    const account = await anAccount({ by });
    bodyOf(await by.put(`/v1/accounts/${account.id}/policy`, { paused: true }), 202);
    await giveWallet(page, holder, {});
    await signInWith(key);
    const defects: string[] = [];
    for (const path of ['/signatures', '/keys', `/accounts/${account.id}`]) {
      await view(path);
      if (path.startsWith('/accounts')) {
        await page.getByRole('button', { name: 'Pause' }).click();
        await page.getByRole('dialog', { name: 'Signature needed' }).waitFor();
      }
      for (const viewport of [{ width: 1440, height: 900 }, PHONE]) {
        await page.setViewportSize(viewport);
        defects.push(...(await accessibilityDefects(page)).map((defect) => `${path} ${viewport.width} ${defect}`));
        for (const part of ['document.documentElement', 'document.querySelector("dialog") ?? document.body']) {
          const overflow = await page.evaluate<number>(`(() => { const e = ${part}; return e.scrollWidth - e.clientWidth; })()`);
          if (overflow > 0) defects.push(`${path} is ${overflow} px too wide at ${viewport.width} px`);
        }
      }
      await page.setViewportSize(DESKTOP);
    }
    expect(defects).toEqual([]);
  });
});
