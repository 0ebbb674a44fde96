/** The pages of fleets in a browser. */
import type { Browser, Page } from 'playwright-core';
import { accessibilityDefects } from '../../support/accessibility';
import { api, type Api } from '../../support/api';
import { startBrowser } from '../../support/browser';
import { newDashboardPage, signIn } from '../../support/dashboard-page';
import { newOperatorKey } from '../../support/operators';
import { sharedService } from '../../support/service';
import { sharedBrowser } from '../../support/shared-browser';
import { anAccount, bodyOf, fund, pay, type TestAccount } from '../../support/world';

jest.setTimeout(180_000);

const found = sharedBrowser();
const withBrowser = found ? describe : describe.skip;

let browser: Browser;
beforeAll(async () => {
  if (found) browser = await startBrowser(found);
});
afterAll(() => browser?.close());

withBrowser('fleets in the dashboard', () => {
  let by: Api;
  let page: Page;
  let accounts: TestAccount[];
  const complaints: string[] = [];
  const open = (path: string) => page.goto(`${sharedService().baseUrl}/dashboard${path}`);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const fleet = async () => bodyOf(await by.get('/v1/fleets'), 200).data[0];

  beforeAll(async () => {
    const key = await newOperatorKey(sharedService());
    by = api(sharedService().baseUrl, key);
    accounts = [await anAccount({ by }), await anAccount({ by }), await anAccount({ by })];
    for (const [index, { id }] of accounts.entries()) bodyOf(await by.patch(`/v1/accounts/${id}`, { name: `agent ${index}` }), 200);
    page = await newDashboardPage(browser, complaints, { viewport: { width: 1440, height: 900 } });
    await open('/');
    await signIn(page, key);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });
  afterAll(() => expect(complaints).toEqual([]));

  test('the overview shows the bytes of the accounts and their rent', async () => {
    await page.getByText('SOL of rent at the present rate').waitFor();
  });

  test('Create fleet creates a fleet with the limit of all members', async () => {
    await open('/fleets');
    await button('Create fleet').click();
    expect(await accessibilityDefects(page)).toEqual([]);
    await page.getByLabel('Name').fill('crawlers');
    await page.getByLabel('Limit of all members in 24 hours, USDC').fill('10.5');
    await button('Create').click();
    await page.getByRole('heading', { name: 'crawlers' }).waitFor();
    expect(await fleet()).toMatchObject({ name: 'crawlers', limits: { max_daily_spend: 10.5 }, members: 0 });
  });

  test('Move to a fleet asks with the number of accounts, says what changes, and moves the chosen ones', async () => {
    await open('/accounts');
    for (const name of ['agent 0', 'agent 1']) await page.getByLabel(`Select ${name}`).check();
    await button('Move to a fleet').click();
    await button('Show what changes').click();
    await page.getByRole('heading', { name: 'Move 2 accounts?' }).waitFor();
    expect((await fleet()).members).toBe(0);
    await button('Move 2 accounts').click();
    await page.getByText('2 accounts are moved.').waitFor();
    expect((await fleet()).members).toBe(2);
    expect(bodyOf(await by.get(`/v1/accounts/${accounts[2]?.id}`), 200).fleet_id).toBe(null);
  });

  test('the page of a fleet shows who took how much and what binds next, and its pause says what is still reserved', async () => {
    const [payer, , payee] = accounts as [TestAccount, TestAccount, TestAccount];
    await fund(payer, '20', by);
    bodyOf(await pay(payer, payee, '4', {}, by), 200);
    bodyOf(await by.post('/v1/purses', { account_id: payer.id, amount: '2', idempotency_key: 'reserved' }), 201);
    await open(`/fleets/${(await fleet()).fleet_id}`);
    await page.getByText('the 24-hour limit: 4.50 of 10.50 USDC are left').waitFor();
    await page.getByRole('table', { name: 'Spent by member' }).getByRole('link', { name: 'agent 0' }).waitFor();
    await button('Pause').click();
    await page.getByText('2.00 USDC are reserved').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText(/2\.00 USDC are still reserved; the job job_\w+ ends one open purse/).waitFor();
    expect((await fleet()).status).toBe('paused');
  });
});
