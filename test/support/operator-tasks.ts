import { randomUUID } from 'node:crypto';
import type { Browser, Locator, Page } from 'playwright-core';
import { accessibilityDefects } from './accessibility';
import { api, type Api } from './api';
import { findBrowser, startBrowser } from './browser';
import { newDashboardPage, signIn } from './dashboard-page';
import { eventually } from './eventually';
import { enter, tabTo } from './keyboard';
import { startService, type Service } from './service';
import { anAccount, bodyOf, pay, type TestAccount } from './world';

const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 780 };

const found = findBrowser();

/**
 * Defines the tests of what an operator does in the dashboard, by keyboard, in a real browser and with a service of their own. `fill` loads
 * a history into its database before.
 */
export function testOperatorTasks(title: string, fill: (service: Service) => Promise<void> = () => Promise.resolve()): void {
  (found ? describe : describe.skip)(title, () => defineTasks(fill));
}

function defineTasks(fill: (service: Service) => Promise<void>): void {
  let service: Service;
  let browser: Browser;
  let page: Page;
  let operator: Api;
  const complaints: string[] = [];

  const open = (path: string): Promise<unknown> => page.goto(`${service.baseUrl}/dashboard${path}`);
  const button = (name: string | RegExp): Locator => page.getByRole('button', { name, exact: typeof name === 'string' });
  const dialog = (): Locator => page.getByRole('dialog');
  const inDialog = (name: string): Locator => dialog().getByRole('button', { name, exact: true });
  const policyOf = async ({ id }: TestAccount) => bodyOf(await operator.get(`/v1/accounts/${id}/policy`), 200);

  /** Reaches a field of the dialog by Tab and types into it. */
  async function type(label: string, text: string): Promise<void> {
    await tabTo(page, dialog().getByLabel(label));
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type(text);
  }

  beforeAll(async () => {
    if (!found) return;
    [service, browser] = await Promise.all([startService(), startBrowser(found)]);
    operator = api(service.baseUrl, service.operatorKey);
    await fill(service);
    page = await newDashboardPage(browser, complaints, { viewport: DESKTOP });
    await open('/');
    await signIn(page, service.operatorKey);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });
  afterEach(() => expect(complaints).toEqual([]));

  test('the overview names an account without any limit, and leads to the list of them', async () => {
    const unlimited = await anAccount({ usdc: '5', by: operator });
    await open('/');
    const need = page.getByRole('link', { name: /^Without any limit/ });
    await page.getByText('may spend all of 5.00 USDC').waitFor();
    await enter(page, need);
    await page.getByRole('heading', { name: 'Accounts' }).waitFor();
    expect(page.url()).toContain('needs=no_limit');
    bodyOf(await operator.put(`/v1/accounts/${unlimited.id}/policy`, { max_daily_spend: 1 }), 200);
  });

  test('chosen accounts are paused, resumed and given one policy, with its changes in sentences before it is saved', async () => {
    const accounts = [await anAccount({ by: operator }), await anAccount({ by: operator })];
    for (const [index, { id }] of accounts.entries()) bodyOf(await operator.patch(`/v1/accounts/${id}`, { name: `Bulk ${index}` }), 200);
    await open('/accounts?name=bulk');
    await enter(page, button('Select all 2'));
    await enter(page, button('Pause'));
    await enter(page, inDialog('Pause'));
    await dialog().getByText('2 accounts are paused.').waitFor();
    await page.keyboard.press('Escape');
    for (const account of accounts) expect(await policyOf(account)).toMatchObject({ paused: true });
    await eventually(async () => expect(await page.locator('tbody .status').allInnerTexts()).toEqual(['Paused', 'Paused']));
    await enter(page, button('Resume'));
    await enter(page, inDialog('Resume'));
    await dialog().getByText('2 accounts are resumed.').waitFor();
    await page.keyboard.press('Escape');

    await enter(page, button('Set policy'));
    await enter(page, inDialog('Show what changes'));
    await dialog().getByText('2 accounts: The limit in any 24 hours changes from none to 10 USDC.').waitFor();
    expect(await policyOf(accounts[0] as TestAccount)).toMatchObject({ max_daily_spend: null });
    await enter(page, inDialog('Save'));
    await dialog().getByText('2 accounts are changed.').waitFor();
    await page.keyboard.press('Escape');
    for (const account of accounts) expect(await policyOf(account)).toMatchObject({ max_single_transfer: 1, max_daily_spend: 10 });
  });

  test('accounts are labelled together, found by the label, and the job is listed with its progress', async () => {
    const accounts = [await anAccount({ by: operator }), await anAccount({ by: operator })];
    for (const [index, { id }] of accounts.entries())
      bodyOf(await operator.patch(`/v1/accounts/${id}`, { name: `Labelled ${index}` }), 200);
    await open('/accounts?name=labelled');
    await enter(page, button('Select all 2'));
    await enter(page, button('Add labels'));
    await type('Labels', 'team:night, eu');
    await enter(page, inDialog('Show what changes'));
    await dialog().getByText('2 accounts: Labels added: eu, team:night.').waitFor();
    await enter(page, inDialog('Add'));
    await dialog().getByText('2 accounts are labelled.').waitFor();
    await page.keyboard.press('Escape');
    await open('/accounts?label=team:night');
    await eventually(async () => expect(await page.locator('tbody tr').count()).toBe(2));
    await open('/jobs');
    await enter(page, page.getByRole('link', { name: 'Add labels to 2 accounts' }).first());
    await page.getByRole('heading', { level: 1, name: 'Add labels to 2 accounts' }).waitFor();
    await page.getByRole('table', { name: 'Accounts' }).getByText('Labelled 1').waitFor();
  });

  test('an account is paid out of after a dry run, which also shows a decline', async () => {
    const [from, to] = [
      await anAccount({ usdc: '9', policy: { max_single_transfer: 4 }, by: operator }),
      await anAccount({ by: operator }),
    ];
    await open(`/accounts/${from.id}`);
    await enter(page, button('Pay or withdraw'));
    await dialog().getByLabel('To').selectOption(to.id);
    await type('Amount in USDC', '5');
    await enter(page, inDialog('Check'));
    await dialog().getByText('Above the per-transfer limit').waitFor();
    await type('Amount in USDC', '3.5');
    await enter(page, inDialog('Check'));
    await dialog().getByText('can be paid now').waitFor();
    await enter(page, inDialog('Pay now'));
    await dialog().waitFor({ state: 'detached' });
    expect(bodyOf(await operator.get(`/v1/accounts/${to.id}/balance`), 200).balance_usdc).toBe('3.500000');
  });

  test('an account shows its deposit address, gets an agent key that expires, another name, and metadata', async () => {
    const account = await anAccount({ by: operator });
    await open(`/accounts/${account.id}`);
    await enter(page, button('Deposit'));
    await dialog()
      .getByRole('img', { name: `QR code of ${account.address}` })
      .waitFor();
    await dialog().getByText('Only USDC, and only on this Solana network.').waitFor();
    await page.keyboard.press('Escape');

    await enter(page, button('Issue a key'));
    await type('Name', 'night bot');
    await enter(page, inDialog('Issue'));
    const key = await dialog().locator('code').innerText();
    const me = bodyOf(await api(service.baseUrl, key).get('/v1/me'), 200);
    expect(me).toMatchObject({ type: 'agent', name: 'night bot', accounts: [{ account_id: account.id }] });
    expect(Date.parse(me.expires_at) - Date.now()).toBeGreaterThan(89 * 24 * 60 * 60_000);
    await page.keyboard.press('Escape');

    await enter(page, button('Rename'));
    await type('Name', 'Night bot');
    await type('Metadata', 'team: research');
    await enter(page, inDialog('Save'));
    await page.getByRole('heading', { level: 1, name: 'Night bot' }).waitFor();
    expect(bodyOf(await operator.get(`/v1/accounts/${account.id}`), 200)).toMatchObject({ metadata: { team: 'research' } });
  });

  test('an account with money is closed to another account, and its authority key is rotated before', async () => {
    const [closing, heir] = [await anAccount({ usdc: '2', by: operator }), await anAccount({ by: operator })];
    await open(`/accounts/${closing.id}`);
    await enter(page, button('Rotate its key'));
    await type('Operator key', service.operatorKey);
    await enter(page, inDialog('Rotate'));
    await dialog().waitFor({ state: 'detached' });
    await enter(page, button('Close account'));
    await type('Where its money goes', heir.handle);
    await type('Operator key', service.operatorKey);
    await enter(page, inDialog('Close for ever'));
    await dialog().waitFor({ state: 'detached' });
    expect(bodyOf(await operator.get(`/v1/accounts/${heir.id}/balance`), 200).balance_usdc).toBe('2.000000');
  });

  test('an approval shows its rule and what is left; two are selected and approved by j, x and a, and the decisions are listed', async () => {
    const policy = { escalation_threshold: 10, max_daily_spend: 100 };
    const [from, to] = [await anAccount({ usdc: '50', policy, by: operator }), await anAccount({ by: operator })];
    for (const amount of ['12', '13']) bodyOf(await pay(from, to, amount, {}, operator), 202);
    await open('/approvals');
    const row = page.getByRole('row').filter({ has: page.getByTitle('12.000000 USDC') });
    for (const text of ['≥ 10', 'new', 'in 23 h']) await row.getByText(text).waitFor();
    await eventually(async () => expect(await row.locator('.amount').allInnerTexts()).toEqual(['12.00', '38.00']));
    expect(await page.title()).toMatch(/^\(2\) Approvals/);
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('a');
    await dialog().getByText('25.00 USDC').waitFor();
    await dialog().getByText('12.00 USDC').waitFor();
    await enter(page, inDialog('Approve'));
    await page.getByText('Nothing waits for you').waitFor();
    await eventually(async () => expect(await page.locator('tbody .status').allInnerTexts()).toEqual(['Approved', 'Approved']));
    expect(bodyOf(await operator.get(`/v1/accounts/${to.id}/balance`), 200).balance_usdc).toBe('25.000000');
  });

  test('an account shows what waits, its open purse and its keys, and keys are found by name', async () => {
    const account = await anAccount({ usdc: '50', policy: { escalation_threshold: 10 }, by: operator });
    const to = await anAccount({ by: operator });
    bodyOf(await operator.post('/v1/api_keys', { type: 'agent', name: 'related key', account_ids: [account.id] }), 201);
    bodyOf(await operator.post('/v1/purses', { account_id: account.id, amount: '2', idempotency_key: randomUUID() }), 201);
    const { transfer_id } = bodyOf(await pay(account, to, '12', { memo: 'servers' }, operator), 202);
    await open(`/accounts/${account.id}`);
    await page.getByRole('table', { name: 'Waiting for approval' }).getByText('servers').waitFor();
    await page.getByRole('table', { name: 'Open sessions and purses' }).getByText('Purse').waitFor();
    await page.getByRole('table', { name: 'API keys' }).getByText('related key').waitFor();
    await open('/keys?text=RELATED');
    await eventually(async () => expect(await page.getByRole('table', { name: 'API keys' }).locator('tbody tr').count()).toBe(1));
    bodyOf(await operator.post(`/v1/transfers/${transfer_id}/deny`, {}), 200);
  });

  test('a transfer shows by whom it was denied, and rules that the policy does not set as not set', async () => {
    const [from, to] = [
      await anAccount({ usdc: '50', policy: { escalation_threshold: 10 }, by: operator }),
      await anAccount({ by: operator }),
    ];
    const { transfer_id } = bodyOf(await pay(from, to, '12', {}, operator), 202);
    bodyOf(await operator.post(`/v1/transfers/${transfer_id}/deny`, {}), 200);
    await open(`/transfers/${transfer_id}`);
    await page.getByText('by first key at').waitFor();
    for (const rule of ['Within the 24-hour limit', 'Within the 30-day limit', 'Within the lifetime limit', 'The policy has not ended'])
      await page.getByRole('listitem').filter({ hasText: rule }).getByText('not set').waitFor();
  });

  test('a provider is pinned and unpinned, a webhook is edited, and the audit log has it all', async () => {
    await open('/providers');
    await enter(page, button('Pin a provider'));
    await type('Host', 'api.example.com');
    await type('Payee', '7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2');
    await enter(page, inDialog('Save'));
    await enter(page, button('Unpin api.example.com'));
    await enter(page, inDialog('Unpin'));
    await page.getByText('No pinned providers.').waitFor();

    const { webhook_id } = bodyOf(await operator.post('/v1/webhooks', { url: 'https://example.com/hook' }), 201);
    await open(`/webhooks/${webhook_id}`);
    await enter(page, button('Edit'));
    await type('Address', 'https://example.com/other');
    await enter(page, inDialog('Save'));
    await page.getByText('https://example.com/other').waitFor();

    await open('/audit');
    const log = page.getByRole('table', { name: 'Audit log' });
    await log.getByText(/^URL: https:\/\/example\.com\/… .*, now https:\/\/example\.com\/… /).waitFor();
    for (const action of ['Pinned a provider', 'Unpinned a provider', 'Changed a webhook'])
      await log.getByText(action, { exact: true }).waitFor();
    await enter(page, button('Filter'));
    await enter(page, button('Action'));
    await page.getByRole('combobox', { name: 'Action' }).selectOption('provider.pinned');
    await log.getByText('Changed a webhook').waitFor({ state: 'detached' });
    await log.getByText('Pinned a provider', { exact: true }).waitFor();
  });

  test('an event shows its payload, and the views of this page have no serious accessibility violation', async () => {
    await open('/activity');
    await page.locator('summary', { hasText: 'Show' }).first().waitFor();
    await enter(page, page.locator('summary', { hasText: 'Show' }).first());
    await page.getByText('"sequence"').first().waitFor();
    const defects: string[] = [];
    for (const viewport of [DESKTOP, PHONE]) {
      await page.setViewportSize(viewport);
      for (const path of ['/', '/accounts', '/approvals', '/activity', '/providers', '/audit', '/webhooks']) {
        await open(path);
        await page.locator('main h1').waitFor();
        await page.locator('.loading').first().waitFor({ state: 'detached' });
        defects.push(...(await accessibilityDefects(page)).map((defect) => `${path} at ${viewport.width} px: ${defect}`));
      }
    }
    await page.setViewportSize(DESKTOP);
    expect(defects).toEqual([]);
  });
}
