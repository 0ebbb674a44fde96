/** The payment channels of a purse in a browser. */
import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { accessibilityDefects } from '../../support/accessibility';
import { api, type Api } from '../../support/api';
import { BatchSeller } from '../../support/batch-seller';
import { startBrowser } from '../../support/browser';
import { newDashboardPage, signIn } from '../../support/dashboard-page';
import { eventually } from '../../support/eventually';
import { newOperatorKey } from '../../support/operators';
import { sharedService } from '../../support/service';
import { SessionCalls } from '../../support/session-calls';
import { sharedBrowser } from '../../support/shared-browser';
import { bodyOf, type TestAccount } from '../../support/world';

jest.setTimeout(180_000);

const found = sharedBrowser();
const withBrowser = found ? describe : describe.skip;

let browser: Browser;
beforeAll(async () => {
  if (found) browser = await startBrowser(found);
});
afterAll(() => browser?.close());

withBrowser('the channels of a purse in the dashboard', () => {
  let by: Api;
  let page: Page;
  let seller: BatchSeller;
  let calls: SessionCalls;
  let agent: TestAccount;
  let purseId: unknown;
  const complaints: string[] = [];
  const show = () => page.goto(`${sharedService().baseUrl}/dashboard/purses/${purseId}`);
  const rows = () => page.getByRole('table', { name: 'Channels' }).getByRole('row');

  beforeAll(async () => {
    const key = await newOperatorKey(sharedService());
    by = api(sharedService().baseUrl, key);
    seller = await BatchSeller.start(sharedService(), 1_000n);
    calls = new SessionCalls(sharedService(), by, seller);
    agent = await calls.account();
    const order = { kind: 'channel', account_id: agent.id, amount: '0.01', idempotency_key: randomUUID() };
    purseId = bodyOf(await by.post('/v1/purses', order), 201).purse_id;
    page = await newDashboardPage(browser, complaints, { viewport: { width: 1440, height: 900 } });
    await page.goto(`${sharedService().baseUrl}/dashboard`);
    await signIn(page, key);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });
  afterAll(() => {
    seller.stop();
    expect(complaints).toEqual([]);
  });

  test('a channel purse without a channel says that none was opened', async () => {
    await show();
    await page.getByText('No channel was opened out of this purse yet.').waitFor();
    expect(await accessibilityDefects(page)).toEqual([]);
  });

  test('an open channel shows its seller, its address and its deposit', async () => {
    bodyOf(await calls.pay(calls.order(agent, { purse_id: purseId })), 200);
    const [channel] = await calls.channels(purseId);
    await show();
    await page.getByRole('heading', { name: 'Channels' }).waitFor();
    const row = rows().filter({ hasText: new URL(seller.url).host });
    await row.waitFor();
    const text = (await row.innerText()).replace(/\s+/g, ' ');
    expect(text).toMatch(/open/i);
    expect(text).toContain('0.003');
    expect(await row.getByTitle(String(channel?.channel_address)).count()).toBeGreaterThan(0);
    expect(await accessibilityDefects(page)).toEqual([]);
  });

  test('a channel that was closed shows what was settled', async () => {
    await by.post(`/v1/purses/${purseId}/close`);
    await calls.isSettled(agent, purseId, '0.001000');
    await eventually(async () => {
      await show();
      await rows().nth(1).waitFor();
      expect(await rows().nth(1).innerText()).toMatch(/closed[\s\S]*0\.001/i);
    });
  });

  test('an allowance purse shows no channels', async () => {
    const order = { account_id: agent.id, amount: '0.01', idempotency_key: randomUUID() };
    const { purse_id } = bodyOf(await by.post('/v1/purses', order), 201);
    await page.goto(`${sharedService().baseUrl}/dashboard/purses/${purse_id}`);
    await page.getByRole('button', { name: 'Close', exact: true }).waitFor();
    expect(await page.getByRole('heading', { name: 'Channels' }).count()).toBe(0);
  });
});
