/** The monthly statement of an account: its page, on a screen and on paper, and its file. */
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../../support/browser';
import { newDashboardPage, signIn } from '../../support/dashboard-page';
import { sharedService } from '../../support/service';
import { sharedBrowser } from '../../support/shared-browser';
import { anAccount, balanceOf, bodyOf, operator, pay, type TestAccount } from '../../support/world';

jest.setTimeout(120_000);

const found = sharedBrowser();
const month = new Date().toISOString().slice(0, 7);

(found ? describe : describe.skip)('the statement of an account', () => {
  let browser: Browser;
  let page: Page;
  let payer: TestAccount;
  let payee: TestAccount;
  const complaints: string[] = [];

  beforeAll(async () => {
    if (!found) return;
    [payer, payee] = [await anAccount({ usdc: '10' }), await anAccount()];
    // Reads what has arrived, so that the deposit is the first record.
    bodyOf(await operator().get(`/v1/accounts/${payer.id}/statement`), 200);
    await pay(payer, payee, '2.5');
    await pay(payer, payee, '0.000001');
    browser = await startBrowser(found);
    page = await newDashboardPage(browser, complaints, { viewport: { width: 1440, height: 900 } });
    await page.goto(`${sharedService().baseUrl}/dashboard/accounts/${payer.id}`);
    await signIn(page, sharedService().operatorKey);
    await page.getByRole('link', { name: 'Monthly statement' }).click();
    await page.getByRole('table', { name: 'Records' }).waitFor();
  });
  afterAll(() => browser?.close());
  afterEach(() => expect(complaints).toEqual([]));

  const fact = (name: string): Promise<string> =>
    page
      .locator('.facts > div', { has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) })
      .locator('dd')
      .innerText();

  test('shows the records between two balances, exact, and its closing balance is that of the chain', async () => {
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toMatch(/^Statement of .+, \w+ \d{4}$/);
    expect([await fact('Opening balance'), await fact('In'), await fact('Out')]).toEqual(['0.00 USDC', '+10.00 USDC', '−2.500001 USDC']);
    const balances = await page.locator('tbody tr td:last-child').allInnerTexts();
    expect(balances).toEqual(['10.00', '7.50', '7.499999']);
    expect(await fact('Closing balance')).toBe(`${await balanceOf(payer)} USDC`);
  });

  test('has a file with the handle of the account and the month in its name', async () => {
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download CSV' }).click()]);
    expect(file.suggestedFilename()).toBe(`statement-${payer.handle}-${month}.csv`);
  });

  test('has no navigation and no buttons on paper, and all columns on a page of A4', async () => {
    const A4_BETWEEN_MARGINS = { width: 688, height: 1_000 };
    await page.setViewportSize(A4_BETWEEN_MARGINS);
    await page.emulateMedia({ media: 'print' });
    const isHidden = async (selector: string): Promise<boolean> => (await page.locator(selector).filter({ visible: true }).count()) === 0;
    for (const selector of ['nav', '.search', 'button', '.heading .actions', '.zone-note'])
      expect([selector, await isHidden(selector)]).toEqual([selector, true]);
    const shape = await page.locator('table').evaluate((table) => ({
      heads: [...table.querySelectorAll('th')].filter((head) => head.getClientRects().length > 0).length,
      right: table.getBoundingClientRect().right,
      overflow: table.ownerDocument.documentElement.scrollWidth - table.ownerDocument.documentElement.clientWidth,
    }));
    expect(shape).toMatchObject({ heads: 6, overflow: 0 });
    expect(shape.right).toBeLessThanOrEqual(A4_BETWEEN_MARGINS.width);
    const pdf = await page.pdf({ format: 'A4', preferCSSPageSize: true });
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    await page.emulateMedia({ media: null });
  });

  test('leads to the month before, in which nothing moved', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.locator('.heading .actions a').first().click();
    await page.getByText('No money moved in this month.').waitFor();
    expect([await fact('Opening balance'), await fact('Closing balance')]).toEqual(['0.00 USDC', '0.00 USDC']);
  });
});
