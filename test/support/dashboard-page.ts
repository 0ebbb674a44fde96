/** A page of a real browser that shows the dashboard. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** A new page in a profile of its own. Violations of the content security policy and uncaught errors are added to `complaints`. */
export async function newDashboardPage(browser: Browser, complaints: string[], options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  const page = await context.newPage();
  page.on('console', (message) => /content security policy/i.test(message.text()) && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  return page;
}

/** Signs in on the page, which shows the sign-in. */
export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('Operator key').fill(key);
  await page.keyboard.press('Enter');
}
