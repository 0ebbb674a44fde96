import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../../support/browser';
import { sharedBrowser } from '../../support/shared-browser';
import { newDashboardPage, signIn } from '../../support/dashboard-page';
import { eventually } from '../../support/eventually';
import { startReceiver, type Receiver } from '../../support/receiver';
import { RogueProvider } from '../../support/rogue-provider';
import { startService, type Service } from '../../support/service';
import { anAccount, bodyOf, pay, type TestAccount } from '../../support/world';
import { startX402Seller, sellerTerms } from '../../support/x402-sellers/start';
import { api, type Api, type Body } from '../../support/api';

jest.setTimeout(120_000);

const found = sharedBrowser();
const withBrowser = found ? describe : describe.skip;

/** A delivery is given up after one failure. */
const SETTINGS = { ALLOW_PRIVATE_URLS: 'true', WEBHOOK_RETRY_SECONDS: '0' };
const DESKTOP = { width: 1280, height: 860 };

withBrowser('the dashboard', () => {
  let service: Service;
  let browser: Browser;
  let page: Page;
  let receiver: Receiver;
  /** Errors in the browser: violations of the content security policy, and uncaught exceptions. */
  const complaints: string[] = [];

  const operator = (): Api => api(service.baseUrl, service.operatorKey);
  const account = (more: { usdc?: string; policy?: Body } = {}): Promise<TestAccount> => anAccount({ ...more, by: operator() });
  const policyOf = async ({ id }: TestAccount): Promise<Body> => bodyOf(await operator().get(`/v1/accounts/${id}/policy`), 200);
  const open = (path: string): Promise<unknown> => page.goto(`${service.baseUrl}/dashboard${path}`);
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialog = () => page.getByRole('dialog');

  const newPage = (): Promise<Page> => newDashboardPage(browser, complaints, { viewport: DESKTOP, timezoneId: 'Europe/Berlin' });

  beforeAll(async () => {
    if (!found) return;
    [service, browser, receiver] = await Promise.all([startService({ variables: SETTINGS }), startBrowser(found), startReceiver()]);
    page = await newPage();
    await open('/');
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
    receiver.close();
  });
  afterEach(() => expect(complaints).toEqual([]));

  test('the dashboard signs in with an operator key and stores it nowhere', async () => {
    await signIn(page, `aps_op_${'1'.repeat(43)}`);
    await page.getByText('This is not a key of this service').waitFor();
    const { id } = await account();
    await signIn(page, bodyOf(await operator().post('/v1/api_keys', { type: 'agent', account_ids: [id] }), 201).key);
    await page.getByText('an operator key is needed').waitFor();
    await signIn(page, service.operatorKey);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
    const kept = await page.evaluate<string>(
      'JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, document.documentElement.outerHTML])',
    );
    expect([...kept.matchAll(/aps_op_/g)]).toEqual([]);
    expect(decodeURIComponent(cookie?.value ?? '')).not.toContain(service.operatorKey);
  });

  test('the dashboard binds an account and an agent key to hosts', async () => {
    const bound = await account();
    await open(`/accounts/${bound.id}`);
    await button('Change hosts').click();
    await dialog().getByLabel('Only these').check();
    await dialog().getByLabel('Hosts, one a line').fill('API.example.com\n*.example.org');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await page.getByText('api.example.com, *.example.org').waitFor();
    expect(bodyOf(await operator().get(`/v1/accounts/${bound.id}/hosts`), 200).hosts).toEqual(['api.example.com', '*.example.org']);

    await open('/keys');
    await button('Create key').click();
    await dialog().getByLabel('Name').fill('bound');
    await dialog().getByRole('checkbox').first().check();
    await dialog().getByLabel('Only these').check();
    await dialog().getByLabel('Hosts, one a line').fill('api.example.com');
    await dialog().getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('dialog', { name: 'The new key' }).waitFor();
    const keys = bodyOf(await operator().get('/v1/api_keys'), 200).data as { name: string; allowed_hosts: string[] }[];
    expect(keys.find(({ name }) => name === 'bound')?.allowed_hosts).toEqual(['api.example.com']);
  });

  test('the dashboard shows a pending approval at once, approves it, and denies one by keyboard only', async () => {
    const [a, b] = [await account({ usdc: '100', policy: { escalation_threshold: 10 } }), await account()];
    await open('/approvals');
    await page.getByText('Nothing waits for you').waitFor();
    const { transfer_id } = bodyOf(await pay(a, b, '25.5', { memo: 'servers' }, operator()), 202);
    const row = page.getByRole('row').filter({ hasText: 'servers' });
    await row.getByRole('button', { name: 'Approve' }).click();
    await dialog().getByRole('button', { name: 'Approve' }).click();
    await row.waitFor({ state: 'detached' });
    expect(bodyOf(await operator().get(`/v1/transfers/${transfer_id}`), 200)).toMatchObject({
      status: 'settled',
      amount_usdc: '25.500000',
    });

    const { purse_id } = bodyOf(
      await operator().post('/v1/purses', { account_id: a.id, amount: '22', host: 'api.example.com', idempotency_key: randomUUID() }),
      202,
    );
    const purse = page.getByRole('row').filter({ hasText: 'Opening of a purse' });
    await purse.getByText('api.example.com').waitFor();
    await purse.getByRole('button', { name: 'Approve' }).click();
    await dialog().getByRole('button', { name: 'Approve' }).click();
    await purse.waitFor({ state: 'detached' });
    expect(bodyOf(await operator().get(`/v1/purses/${purse_id}`), 200)).toMatchObject({ status: 'open' });

    const denied = bodyOf(await pay(a, b, '30', {}, operator()), 202);
    const deny = page.getByRole('button', { name: 'Deny 30.000000 USDC' });
    await deny.press('Enter');
    await dialog().waitFor();
    await page.keyboard.press('Escape');
    // The browser hides a dialog before the page removes it, and until then the button opens nothing.
    await page.locator('dialog').waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Deny 30.000000 USDC');
    await page.keyboard.press('Enter');
    await dialog().waitFor();
    await page.keyboard.type('too much');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing waits for you').waitFor();
    expect(bodyOf(await operator().get(`/v1/transfers/${denied.transfer_id}`), 200)).toMatchObject({
      rejection_reason: 'denied',
      denial_reason: 'too much',
    });
  });

  test('the dashboard shows the effect of a policy change before it is made, and overwrites no concurrent change', async () => {
    const a = await account({ usdc: '20', policy: { max_single_transfer: 10 } });
    await open(`/accounts/${a.id}`);
    await button('Change policy').click();
    await page.getByText('Nothing: the policy stays as it is.').waitFor();
    await page.getByLabel('Per-transfer limit').fill('5');
    await page.getByText('Transfers above 5 USDC will be declined; until now above 10 USDC.').waitFor();
    expect((await policyOf(a)).max_single_transfer).toBe(10);
    await button('Save policy').click();
    await button('Change policy').waitFor();
    expect(await policyOf(a)).toMatchObject({ max_single_transfer: 5, paused: false });

    await button('Change policy').click();
    await page.getByLabel('Per-transfer limit').fill('4');
    bodyOf(await operator().put(`/v1/accounts/${a.id}/policy`, { max_daily_spend: 50, max_single_transfer: 7 }), 200);
    await button('Save policy').click();
    await page.getByText('This policy was changed meanwhile, and nothing was saved.').waitFor();
    await page.getByText('Transfers up to 7 USDC will be allowed; until now up to 5 USDC.').waitFor();
    await page.getByText('Transfers above 4 USDC will be declined; until now above 7 USDC.').waitFor();
    expect(await policyOf(a)).toMatchObject({ max_single_transfer: 7, max_daily_spend: 50 });
    await button('Save policy').click();
    await button('Change policy').waitFor();
    expect(await policyOf(a)).toMatchObject({ max_single_transfer: 4, max_daily_spend: 50 });
  });

  test('the dashboard shows the numbers of a policy violation', async () => {
    const [a, b] = [await account({ usdc: '20', policy: { max_single_transfer: 5 } }), await account()];
    const { transfer_id } = (await pay(a, b, '7.25', {}, operator())).body;
    await open(`/transfers/${transfer_id}`);
    const rules = page.getByRole('region', { name: 'Rules' });
    await rules.getByText('Above the per-transfer limit').waitFor();
    expect(await rules.locator('.amount').allInnerTexts()).toEqual(expect.arrayContaining(['7.25 USDC', '5.00 USDC']));
  });

  test('the dashboard replays an undelivered event', async () => {
    receiver.answer = (response) => void response.writeHead(500).end('the database is down');
    const a = await account();
    const { webhook_id } = bodyOf(await operator().post('/v1/webhooks', { url: receiver.url, account_ids: [a.id] }), 201);
    await open(`/webhooks/${webhook_id}`);
    await button('Send a test').click();
    const row = page.getByRole('row').filter({ hasText: 'webhook.test' });
    await row.getByText('Undelivered').waitFor();
    await row.locator('summary').click();
    await row.getByText('the database is down').first().waitFor();
    const [first] = receiver.received;
    receiver.answer = (response) => void response.writeHead(200).end();
    await row.getByRole('button', { name: 'Replay' }).click();
    await row.locator('.status', { hasText: /^Delivered$/ }).waitFor();
    expect(receiver.received.at(-1)?.raw).toBe(first?.raw);
    await button('Replay all undelivered').click();
    await page.getByText('Nothing was undelivered.').waitFor();
    await button('Retry all waiting').click();
    await page.getByText('Nothing waits').waitFor();
    await page.getByRole('combobox', { name: 'State' }).selectOption({ label: 'All' });
  });

  test('a purse and a session show their payments with the protocol, and are closed in the dashboard', async () => {
    const [agent, shop] = [await account({ usdc: '10' }), await account()];
    const seller = await startX402Seller('express-v2', await sellerTerms(service, shop));
    const provider = new RogueProvider(shop.address, () => service.sandbox);
    await provider.start();
    const keyed = (more: Body): Body => ({ account_id: agent.id, idempotency_key: randomUUID(), ...more });
    const call = (url: string, more: Body): Promise<unknown> =>
      operator()
        .post('/v1/payments', keyed({ max_amount: '1', request: { method: 'GET', url }, ...more }))
        .then((answer) => bodyOf(answer, 200));
    const { purse_id } = bodyOf(await operator().post('/v1/purses', keyed({ amount: '1' })), 201);
    const opening = keyed({ provider: provider.url, payee: shop.address, cap: '1' });
    const { session_id } = bodyOf(await operator().post('/v1/sessions', opening), 201);
    await call(`${seller.url}/report`, { purse_id });
    await call(provider.url, { session_id });
    for (const [path, protocol, close, url] of [
      [`/purses/${purse_id}`, 'x402 · purse', 'Close purse', `${seller.url}/report`],
      [`/sessions/${session_id}`, 'MPP · voucher', 'Close session', provider.url],
    ] as const) {
      await open(path);
      await page.getByRole('table', { name: 'Payments' }).getByRole('link').click();
      await page.getByRole('heading', { name: new RegExp(`USDC to ${new URL(url).host}$`) }).waitFor();
      await page.locator('.facts').getByText(new URL(url).href, { exact: true }).waitFor();
      await page.locator('.facts').getByText(protocol).waitFor();
      await page.getByRole('region', { name: 'Answer' }).getByText('200', { exact: true }).waitFor();
      await page.getByRole('link', { name: /its (purse|session)/ }).click();
      const meter = page.getByRole('meter');
      await meter.waitFor();
      expect(await meter.getAttribute('aria-valuetext')).toMatch(/^0\.0\d+ of 1\.000000 USDC spent$/);
      await page.getByRole('table', { name: 'Payments' }).getByText(protocol).waitFor();
      await button('Close').click();
      await dialog().getByRole('button', { name: close }).click();
      await dialog().waitFor({ state: 'detached' });
      await page.locator('.facts dt', { hasText: /^Closed$/ }).waitFor();
    }
    await open(`/accounts/${agent.id}`);
    await page.getByRole('link', { name: `Session settled · ${new URL(provider.url).host}` }).waitFor();
    await page.getByRole('link', { name: `Payment · ${new URL(seller.url).host}` }).click();
    await page.getByRole('heading', { name: new RegExp(`USDC to ${new URL(seller.url).host}$`) }).waitFor();
    provider.stop();
    await seller.stop();
  });

  test('the dashboard pauses all accounts after one confirmation', async () => {
    const before = bodyOf(await operator().get('/v1/accounts?limit=100'), 200).data;
    await open('/');
    await button('Pause all accounts').click();
    await dialog().getByRole('button', { name: 'Pause' }).click();
    await dialog()
      .getByText(/(accounts are|account is) paused\.$/)
      .waitFor();
    await page.keyboard.press('Escape');
    const after = bodyOf(await operator().get('/v1/accounts?limit=100'), 200).data;
    expect(after.filter(({ status }: Body) => status !== 'paused')).toEqual([]);
    await page.getByText(`${before.length} paused`).waitFor();
  });

  test('under a filter the dashboard names both numbers, and resumes only the accounts that are shown', async () => {
    const { account_id, name } = bodyOf(await operator().post('/v1/accounts', { name: 'Filtered by this name' }), 201);
    bodyOf(await operator().put(`/v1/accounts/${account_id}/policy`, { paused: true }), 200);
    const total = bodyOf(await operator().get('/v1/accounts?limit=100'), 200).data.length;
    await open(`/accounts?name=${encodeURIComponent(name)}`);
    await page.getByRole('link', { name }).waitFor();
    await button('Resume all accounts').click();
    await page.getByRole('dialog', { name: `Resume ${total} accounts (all, not only the 1 shown)?` }).waitFor();
    await dialog().getByLabel('Accounts').selectOption('shown');
    await page.getByRole('dialog', { name: `Resume 1 account (only those shown, not all ${total})?` }).waitFor();
    await dialog().getByRole('button', { name: 'Resume' }).click();
    await dialog().getByText('One account is resumed.').waitFor();
    await page.keyboard.press('Escape');
    const resumed = bodyOf(await operator().get('/v1/accounts?limit=100&status=active'), 200).data;
    expect(resumed.map((account: Body) => account.account_id)).toEqual([account_id]);
  });

  test('an open dashboard page ends when its key is revoked', async () => {
    const { key } = bodyOf(await operator().post('/v1/api_keys', { type: 'operator', name: 'lost laptop' }), 201);
    const other = await newPage();
    await other.goto(`${service.baseUrl}/dashboard/keys`);
    await signIn(other, key);
    await other.getByRole('button', { name: 'Revoke lost laptop' }).click();
    await other.getByRole('dialog').getByText('this session ends too').waitFor();
    await other.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await other.getByLabel('Operator key').waitFor();
    await other.reload();
    await other.getByLabel('Operator key').waitFor();
    await eventually(async () => expect((await api(service.baseUrl, key).get('/v1/accounts')).status).toBe(401));
  });

  test('the dashboard signs out', async () => {
    await page.locator('.who button').first().click();
    await button('Sign out').click();
    await page.getByLabel('Operator key').waitFor();
    expect(await page.context().cookies()).toEqual([]);
  });
});
