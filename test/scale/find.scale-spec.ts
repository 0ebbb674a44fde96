import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import type { Browser, Locator, Page } from 'playwright-core';
import { accessibilityDefects } from '../support/accessibility';
import { findBrowser, startBrowser } from '../support/browser';
import { newDashboardPage, signIn } from '../support/dashboard-page';
import { enter, tabTo } from '../support/keyboard';
import { fillLargeOperator } from '../support/large-operator';
import { startServiceFromNothing, type Service } from '../support/service';

jest.setTimeout(400_000);

const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 780 };

const found = findBrowser();
const withBrowser = found ? describe : describe.skip;

withBrowser('the dashboard with 200 accounts and 50,000 transfers', () => {
  let service: Service;
  let browser: Browser;
  let page: Page;
  let database: Client;
  const complaints: string[] = [];

  const open = (path: string): Promise<unknown> => page.goto(`${service.baseUrl}/dashboard${path}`);
  const heading = (name: string): Locator => page.getByRole('heading', { level: 1, name });
  const rows = (): Locator =>
    page
      .getByRole('table')
      .getByRole('row')
      .filter({ has: page.getByRole('cell') });
  const readValue = async (query: string): Promise<string> => String((await database.query<{ value: unknown }>(query)).rows[0]?.value);
  const path = (): string => new URL(page.url()).pathname + new URL(page.url()).search;

  /** Opens the search by its key, types a text, and waits for what it finds. */
  async function search(text: string, result: string | RegExp): Promise<void> {
    await page.keyboard.press('/');
    await page.keyboard.type(text);
    await page.getByRole('option').filter({ hasText: result }).first().waitFor();
  }

  beforeAll(async () => {
    if (!found) return;
    [service, browser] = await Promise.all([startServiceFromNothing(), startBrowser(found)]);
    await fillLargeOperator(service);
    database = new Client({ connectionString: service.sandbox.database_url });
    await database.connect();
    page = await newDashboardPage(browser, complaints, { viewport: DESKTOP, timezoneId: 'Europe/Berlin', acceptDownloads: true });
    await open('/');
    await signIn(page, service.operatorKey);
    await heading('Overview').waitFor();
  });
  afterAll(async () => {
    await database.end();
    await browser.close();
    await service.stop();
  });
  afterEach(() => expect(complaints).toEqual([]));

  test('the key / opens the search, arrows and Enter open an account, and Escape leaves', async () => {
    await search('agent 017', 'Agent 017');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: 'Agent 017', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await heading('Agent 017').waitFor();
    await search('agent', 'Agent');
    await page.keyboard.press('Escape');
    await page.getByRole('listbox').waitFor({ state: 'detached' });
    expect(await page.getByRole('combobox', { name: /^Search/ }).inputValue()).toBe('');
  });

  test.each(['id', 'idempotency_key', 'reference', 'signature', 'memo'])('the search opens a transfer by its %s', async (column) => {
    const row = (value: string): Promise<string> =>
      readValue(`SELECT ${value} AS value FROM orders WHERE kind = 'transfer' AND status = 'settled' ORDER BY id OFFSET 7000 LIMIT 1`);
    await open('/keys');
    await heading('API keys').waitFor();
    await search(await row(column), 'Settled');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /USDC to / }).waitFor();
    expect(path()).toBe(`/dashboard/transfers/${await row('id')}`);
  });

  test('the search groups accounts, transfers and payments, and opens a payment by its host', async () => {
    await open('/keys');
    await heading('API keys').waitFor();
    await search('images.example', 'images.example.net');
    await page.getByRole('group', { name: 'Payments' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /USDC to images\.example\.net$/ }).waitFor();
    await page.getByText('GET').waitFor();
    await page.getByText(/^https:\/\/images\.example\.net\/v1\/items\/\d+$/).waitFor();
  });

  test('filters are set and cleared by keyboard, and kept in the URL and on the way back', async () => {
    await open('/transfers');
    await rows().first().waitFor();
    await enter(page, page.getByRole('button', { name: 'Filter', exact: true }));
    await enter(page, page.getByRole('button', { name: 'State', exact: true }));
    await page.keyboard.type('Dec');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Clear State: Declined' }).waitFor();
    await enter(page, page.getByRole('button', { name: 'Filter', exact: true }));
    await enter(page, page.getByRole('button', { name: 'Category', exact: true }));
    await page.keyboard.type('agent-reward');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Clear Category: agent-reward' }).waitFor();
    const filtered = '/dashboard/transfers?status=rejected&category=agent-reward';
    expect(path()).toBe(filtered);
    await rows().first().getByText('Declined').waitFor();
    expect(await rows().filter({ hasNotText: '(agent-reward)' }).count()).toBe(0);

    await enter(page, rows().first().getByRole('link').first());
    await page.getByRole('heading', { level: 1, name: /USDC to / }).waitFor();
    await enter(page, page.getByRole('link', { name: 'Back to Transfers' }));
    await heading('Transfers').waitFor();
    expect(path()).toBe(filtered);
    await enter(page, page.getByRole('button', { name: 'Clear State: Declined' }));
    await page.getByRole('button', { name: 'Clear State: Declined' }).waitFor({ state: 'detached' });
    expect(path()).toBe('/dashboard/transfers?category=agent-reward');
    await enter(page, page.getByRole('button', { name: 'Clear all' }));
    await page.getByRole('button', { name: 'Clear all' }).waitFor({ state: 'detached' });
    expect(path()).toBe('/dashboard/transfers');
  });

  test('filters without a match say so, and days are days of the viewer', async () => {
    await open('/transfers?since=2020-03-01&until=2020-03-02');
    await page.getByText('No transfers match these filters.').waitFor();
    const [request] = await Promise.all([page.waitForRequest(/\/v1\/transfers/), open('/transfers?since=2026-03-29&until=2026-03-29')]);
    // The day on which Berlin changes to summer time has 23 hours.
    expect([...new URL(request.url()).searchParams]).toEqual(
      expect.arrayContaining([
        ['since', '2026-03-28T22:59:59.999Z'],
        ['until', '2026-03-29T21:59:59.999Z'],
      ]),
    );
  });

  test('the CSV that is downloaded has exactly the filtered transfers', async () => {
    await open('/transfers?status=pending_approval');
    await rows().first().waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), enter(page, page.getByRole('link', { name: 'Download CSV' }))]);
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect([lines.length - 1, lines.slice(1).every((line) => line.includes(',pending_approval,'))]).toEqual([50_000 / 500, true]);
  });

  test.each(['1440', '390'])('lists, a payment and the search have no serious accessibility violation and fit at %s px', async (width) => {
    await page.setViewportSize(width === '390' ? PHONE : DESKTOP);
    const defects: string[] = [];
    const payment = await readValue(`SELECT id AS value FROM payments WHERE status = 'rejected' ORDER BY id DESC LIMIT 1`);
    for (const view of ['/transfers?status=rejected', '/payments', `/payments/${payment}`, '/accounts']) {
      await open(view);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('.loading').first().waitFor({ state: 'detached' });
      defects.push(...(await accessibilityDefects(page)).map((defect) => `${view} ${defect}`));
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      if (overflow > 0) defects.push(`${view} is ${overflow} px too wide`);
    }
    await search('data', 'data');
    await page.keyboard.press('ArrowDown');
    defects.push(...(await accessibilityDefects(page)).map((defect) => `search ${defect}`));
    expect(defects).toEqual([]);
    await page.keyboard.press('Escape');
    await page.setViewportSize(DESKTOP);
  });

  test('accounts are sorted by keyboard, from a column on a desktop and from a choice on a phone, and the URL keeps the order', async () => {
    await open('/accounts');
    const column = page.getByRole('columnheader', { name: 'Name' });
    await enter(page, column.getByRole('button'));
    await column.and(page.locator('[aria-sort="descending"]')).waitFor();
    await rows().first().getByText('Agent 200').waitFor();
    expect(path()).toBe('/dashboard/accounts?sort=-name');
    await page.setViewportSize(PHONE);
    await open('/accounts?sort=-name');
    const choice = page.getByLabel('Sort by');
    await tabTo(page, choice);
    await page.keyboard.type('Name, asc');
    await rows().first().getByText('Agent 001').waitFor();
    expect(path()).toBe('/dashboard/accounts?sort=name');
    await page.setViewportSize(DESKTOP);
  });

  test('the faucet says why it does not add an amount', async () => {
    await open(`/accounts/${await readValue('SELECT id AS value FROM accounts LIMIT 1')}`);
    await enter(page, page.getByRole('button', { name: 'Add test USDC' }));
    const amount = page.getByLabel('Amount in USDC');
    await amount.fill('0');
    await page.getByText('Enter an amount above 0').waitFor();
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Add' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
  });

  test('a phone has five places in a bar, and the others in a sheet that the keyboard opens', async () => {
    await page.setViewportSize(PHONE);
    await open('/');
    await heading('Overview').waitFor();
    const places = page.getByRole('navigation', { name: 'Views' });
    expect(await places.getByRole('link').count()).toBe(4);
    await enter(page, places.getByRole('button', { name: 'More' }));
    await enter(page, page.getByRole('dialog').getByRole('link', { name: 'Payments' }));
    await heading('Payments').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.setViewportSize(DESKTOP);
  });
});
