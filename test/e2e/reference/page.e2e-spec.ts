import { startBrowser } from '../../support/browser';
import { sharedBrowser } from '../../support/shared-browser';
import { sharedService } from '../../support/service';

jest.setTimeout(120_000);

const found = sharedBrowser();
const withBrowser = found ? test : test.skip;

withBrowser('the reference page shows an operation in a browser, without a byte from another host or a violation of its CSP', async () => {
  if (!found) return;
  const browser = await startBrowser(found);
  try {
    const page = await browser.newPage();
    const complaints: string[] = [];
    const hosts = new Set<string>();
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => request.url().startsWith('data:') || hosts.add(new URL(request.url()).origin));
    await page.goto(`${sharedService().baseUrl}/docs/api`);
    await page.getByText('Pays an account or an address').click();
    await page.getByText('A decline (402) is final for its key.').first().waitFor();
    await page.locator('.opblock.is-open .responses-table').first().waitFor();
    expect([[...hosts], complaints]).toEqual([[sharedService().baseUrl], []]);
  } finally {
    await browser.close();
  }
});
