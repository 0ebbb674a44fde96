import { startBrowser } from '../../support/browser';
import { sharedBrowser } from '../../support/shared-browser';
import { sharedService } from '../../support/service';

jest.setTimeout(120_000);

const found = sharedBrowser();
const LARGEST_SCRIPT = 300_000;

(found ? test : test.skip)('diagrams of the documentation are pictures, which need no large script, and fit a phone', async () => {
  if (!found) return;
  const browser = await startBrowser(found);
  try {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    const large: string[] = [];
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('response', (response) => {
      const length = Number(response.headers()['content-length'] ?? 0);
      if (response.url().endsWith('.js') && length > LARGEST_SCRIPT) large.push(response.url());
    });
    for (const [path, count] of [
      ['concepts', 2],
      ['architecture', 7],
      ['database', 1],
    ] as const) {
      await page.goto(`${sharedService().baseUrl}/docs/${path}`);
      const drawings = page.locator('.drawing img');
      expect(await drawings.count()).toBe(count);
      for (const drawing of await drawings.all()) {
        await drawing.scrollIntoViewIfNeeded();
        await drawing.evaluate((image: { decode: () => Promise<void> }) => image.decode());
      }
      expect([path, await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')]).toEqual([path, 0]);
    }
    expect([large, complaints]).toEqual([[], []]);
  } finally {
    await browser.close();
  }
});
