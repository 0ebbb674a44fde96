/** How lists look and are filtered: rows of one line, one link each, exact values in their titles, and filters as chips. */
import type { Browser, Locator, Page } from 'playwright-core';
import { api, type Api } from '../../support/api';
import { startBrowser } from '../../support/browser';
import { newDashboardPage, signIn } from '../../support/dashboard-page';
import { eventually } from '../../support/eventually';
import { fillHistory } from '../../support/history';
import { newOperatorKey } from '../../support/operators';
import { sharedService } from '../../support/service';
import { sharedBrowser } from '../../support/shared-browser';
import { anAccount, bodyOf, query } from '../../support/world';

jest.setTimeout(120_000);

const found = sharedBrowser();
const LONG_NAME = 'Research agent for the European market 011';

(found ? describe : describe.skip)('lists of the dashboard', () => {
  let browser: Browser;
  let page: Page;
  let operator: Api;
  const complaints: string[] = [];
  const open = (path: string): Promise<unknown> => page.goto(`${sharedService().baseUrl}/dashboard${path}`);
  const button = (name: string): Locator => page.getByRole('button', { name, exact: true });

  beforeAll(async () => {
    if (!found) return;
    const key = await newOperatorKey(sharedService());
    operator = api(sharedService().baseUrl, key);
    const accounts = [await anAccount({ by: operator }), await anAccount({ by: operator })];
    bodyOf(await operator.patch(`/v1/accounts/${accounts[0]?.id}`, { name: LONG_NAME }), 200);
    const { operator_id: operatorId } = bodyOf(await operator.get('/v1/me'), 200);
    await fillHistory(query, { operatorId, accountIds: accounts.map(({ id }) => id), transfers: 40, payments: 30 });
    browser = await startBrowser(found);
    page = await newDashboardPage(browser, complaints, { viewport: { width: 1440, height: 900 }, timezoneId: 'Europe/Berlin' });
    await open('/');
    await signIn(page, key);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });
  afterAll(() => browser?.close());
  afterEach(() => expect(complaints).toEqual([]));

  test('a list of transfers has rows of 36 px, of which 20 fit a window of 900 px, and one link each', async () => {
    await open('/transfers');
    await page.locator('tbody tr').nth(24).waitFor();
    const rows = await page.locator('tbody tr').evaluateAll((all) =>
      all.map((row) => {
        const { bottom, height } = row.getBoundingClientRect();
        return { bottom, height, links: row.querySelectorAll('a').length };
      }),
    );
    expect(new Set(rows.map(({ height }) => Math.round(height)))).toEqual(new Set([36]));
    expect(rows.filter(({ bottom }) => bottom <= 900).length).toBeGreaterThanOrEqual(20);
    expect(rows.every(({ links }) => links === 1)).toBe(true);
    const name = page.locator('.party', { hasText: LONG_NAME }).first().locator('span').last();
    expect(await name.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
  });

  test('the link of a row has no underline, and the button that copies an id shows while the pointer is on the row', async () => {
    const styleOf = (selector: string, property: string): Promise<unknown> =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`);
    await open('/keys');
    await page.locator('tbody button.copy').first().waitFor({ state: 'attached' });
    await page.mouse.move(0, 0);
    expect(await styleOf('tbody button.copy', 'opacity')).toBe('0');
    await page.locator('tbody tr').first().hover();
    await eventually(async () => expect(await styleOf('tbody button.copy', 'opacity')).toBe('1'));
    await open('/transfers');
    await page.locator('tbody a').first().waitFor();
    expect(await styleOf('tbody a', 'textDecorationLine')).toBe('none');
  });

  test('a press anywhere in a row opens its transfer', async () => {
    await open('/transfers');
    await page.locator('tbody tr').first().locator('.amount').click();
    await page.waitForURL(/\/transfers\/tr_/);
  });

  test('amounts have two decimals and times are relative in a list, and their titles are exact', async () => {
    await open('/transfers?until=2100-01-01');
    const amounts = page.locator('tbody .amount');
    await amounts.first().waitFor();
    for (const text of await amounts.allInnerTexts()) expect(text).toMatch(/^\d+\.\d\d$/);
    expect(await amounts.nth(1).getAttribute('title')).toBe('0.020001 USDC');
    const time = page.locator('tbody time').nth(10);
    expect(await time.innerText()).toMatch(/^(\d+ min ago|just now)$/);
    expect(await time.getAttribute('title')).toMatch(/^\d+ \w+ \d{4},? .*\d\d:\d\d:\d\d (CET|CEST|GMT\+[12])$/);
    await page.getByText('Times are in Europe/Berlin.').waitFor();
    await button('Show UTC').click();
    await eventually(async () => expect(await time.getAttribute('title')).toMatch(/UTC$/));
    await button('Show Europe/Berlin').click();
  });

  test('a filter is added, acts while it is typed, is saved as a view with a name, and is found again', async () => {
    await open('/transfers');
    await button('Filter').click();
    await button('Category').click();
    await page.getByRole('textbox', { name: 'Category' }).pressSequentially('data');
    await page.waitForURL(/category=data/);
    await page.keyboard.press('Escape');
    await button('Filter').click();
    await button('State').click();
    await page.getByRole('combobox', { name: 'State' }).selectOption('settled');
    await page.waitForURL(/status=settled/);
    await page.keyboard.press('Escape');
    await button('Views').click();
    await page.getByLabel('Save this view as').fill('settled data');
    await page.keyboard.press('Enter');
    await button('Clear Category: data').click();
    await button('Clear all').click();
    await page.waitForURL(/\/transfers$/);
    await page.reload();
    await button('Views').click();
    await button('settled data').click();
    await button('Clear Category: data').waitFor();
    await button('Clear State: Settled').waitFor();
    await eventually(async () => expect(new Set(await page.locator('tbody .status').allInnerTexts())).toEqual(new Set(['Settled'])));
  });

  test('a saved view is shown in another browser to another key of the operator, and one that is removed is in neither', async () => {
    await open('/transfers?category=compute');
    await button('Views').click();
    await page.getByLabel('Save this view as').fill('compute');
    await button('Save view').click();
    await page.getByLabel('Save this view as').waitFor({ state: 'detached' });
    const { key } = bodyOf(await operator.post('/v1/api_keys', { type: 'operator' }), 201);
    const other = await newDashboardPage(browser, complaints);
    await other.goto(`${sharedService().baseUrl}/dashboard/transfers`);
    await signIn(other, key);
    await other.getByRole('button', { name: 'Views', exact: true }).click();
    await other.getByRole('button', { name: 'compute', exact: true }).click();
    await other.waitForURL(/\/transfers\?category=compute$/);
    await other.getByRole('button', { name: 'Views', exact: true }).click();
    await other.getByRole('button', { name: 'Forget the view compute' }).click();
    await other.getByRole('button', { name: 'compute', exact: true }).waitFor({ state: 'detached' });
    await other.context().close();
    await button('Views').click();
    await page.getByRole('list', { name: 'Saved views' }).waitFor({ state: 'attached' });
    expect(await button('compute').count()).toBe(0);
    await page.keyboard.press('Escape');
  });

  test('a list begins an hour ago, and at a minute of a day', async () => {
    await open('/transfers');
    await button('Filter').click();
    await button('From').click();
    await button('An hour ago').click();
    await page.waitForURL(/since=1h/);
    await button('From: an hour ago').click();
    await page.getByLabel('From', { exact: true }).fill('2100-01-01T09:30');
    await page.getByText('No transfers match these filters.').waitFor();
    await button('Clear From: 2100-01-01 09:30').waitFor();
  });

  test('a list that fails to load says since when, and is loaded again by itself and by Try again', async () => {
    const lists = '**/v1/transfers?*';
    await page.route(lists, (route) => route.abort());
    await open('/transfers');
    await page.getByText(/The service does not answer\. Not loaded since .*\d\d:\d\d:\d\d/).waitFor();
    await Promise.all([page.waitForRequest(/\/v1\/transfers\?/), button('Try again').click()]);
    await page.unroute(lists);
    await page.locator('tbody tr').first().waitFor();
    await button('Try again').waitFor({ state: 'detached' });
  });

  test('a list that has waited for five seconds says that it still waits', async () => {
    const lists = '**/v1/transfers?*';
    let answer = (): void => undefined;
    const asked = new Promise<void>((resolve) => void (answer = resolve));
    await page.route(lists, async (route) => {
      await asked;
      await route.continue();
    });
    await open('/transfers');
    await page.getByText('Still waiting for the service …').waitFor();
    answer();
    await page.locator('tbody tr').first().waitFor();
    await page.unroute(lists);
  });

  test('an account’s page lists its keys with the address from which each was used', async () => {
    const { account_id } = bodyOf(await operator.get('/v1/accounts?limit=1'), 200).data[0];
    const { key } = bodyOf(await operator.post('/v1/api_keys', { type: 'agent', name: 'night bot', account_ids: [account_id] }), 201);
    bodyOf(await api(sharedService().baseUrl, key).get('/v1/me'), 200);
    const row = page.getByRole('table', { name: 'API keys' }).getByRole('row', { name: /night bot/ });
    for (const path of [`/accounts/${account_id}`, '/keys?text=night'])
      await eventually(async () => {
        await open(path);
        await row.waitFor();
        expect(await row.innerText()).toContain('127.0.0.1');
      });
  });

  test('Ctrl+K finds pages, middles of names, keys by their beginning and actions, and Enter opens the best', async () => {
    const { account_id } = bodyOf(await operator.post('/v1/accounts', { name: 'Zanzibar 77' }), 201);
    const { prefix } = bodyOf(await operator.post('/v1/api_keys', { type: 'agent', name: 'spice key', account_ids: [account_id] }), 201);
    await open('/transfers');
    const box = page.getByRole('combobox', { name: /^Search/ });
    const option = (name: string) => page.getByRole('option', { name });
    await page.keyboard.press('Control+K');
    await box.fill('anzib');
    await option('Zanzibar 77').waitFor();
    await box.fill(prefix);
    await option('spice key').waitFor();
    await box.fill('webho');
    await option('Webhooks').waitFor();
    await box.fill('create acc');
    await option('Create account').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Create account' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.keyboard.press('Escape');
  });

  test('what needs attention stays inside its card on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open('/');
    await page.locator('.need li').first().waitFor();
    const outside = await page
      .locator('.need')
      .evaluateAll((cards) =>
        cards
          .flatMap((card) =>
            [...card.querySelectorAll('li > *')].filter((each) => each.getBoundingClientRect().right > card.getBoundingClientRect().right),
          )
          .map((each) => each.textContent),
      );
    expect(outside).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('an approval above the balance says what is missing with two decimals, and its title is exact', async () => {
    await open('/approvals');
    const missing = page.getByRole('table').locator('.status.bad').first();
    await missing.waitFor();
    expect(await missing.innerText()).toMatch(/^\d+\.\d\d missing$/);
    expect(await missing.getAttribute('title')).toMatch(/^\d+\.\d{6} USDC$/);
  });

  test('the number of approvals does not cover the icon of their place on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open('/');
    const place = page.locator('.places a', { hasText: 'Approvals' }).filter({ has: page.locator('.count') });
    await place.locator('.count').evaluate((count) => (count.textContent = ' 100'));
    const [icon, count] = [await place.locator('.icon').boundingBox(), await place.locator('.count').boundingBox()];
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(count?.x).toBeGreaterThanOrEqual((icon?.x ?? NaN) + (icon?.width ?? NaN) / 2);
  });

  test('the menu says who is signed in, with which key, and signs out', async () => {
    await page.locator('.who button').first().click();
    await page.getByText(/^Signed in as .* with the key/).waitFor();
    await button('Sign out').click();
    await page.getByLabel('Operator key').waitFor();
  });
});
