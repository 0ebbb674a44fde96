import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessibilityDefects } from '../../support/accessibility';
import { startBrowser } from '../../support/browser';
import { sharedBrowser } from '../../support/shared-browser';
import { sharedService } from '../../support/service';

jest.setTimeout(120_000);

const found = sharedBrowser();
/** Without compression. A warm machine shows as much in well below a second. */
const MAX_BYTES = 1_000_000;
const withBrowser = found ? test : test.skip;
const page = async (path: string): Promise<string> => (await fetch(`${sharedService().baseUrl}${path}`)).text();

test('the reference has every operation of the document, with samples in curl, TypeScript and Python', async () => {
  const { paths, tags } = JSON.parse(readFileSync(join(__dirname, '..', '..', '..', 'docs', 'openapi.json'), 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string }>>;
    tags: { name: string }[];
  };
  const texts = (await Promise.all(tags.map(({ name }) => page(`/docs/api/${name}`)))).join('');
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
  expect(ids.filter((id) => !texts.includes(`id="${id.replaceAll('.', '-')}"`))).toEqual([]);
  for (const language of ['curl', 'TypeScript', 'Python']) expect(texts.split(`>${language}</label>`).length - 1).toBe(ids.length);
});

withBrowser(
  'the reference is found by its search, and takes less than a megabyte to show, without another host, a violation, or overflow on a phone',
  async () => {
    if (!found) return;
    const browser = await startBrowser(found);
    try {
      const view = await browser.newPage({ viewport: { width: 390, height: 844 } });
      const complaints: string[] = [];
      const hosts = new Set<string>();
      view.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
      view.on('pageerror', (error) => complaints.push(String(error)));
      view.on('request', (request) => request.url().startsWith('data:') || hosts.add(new URL(request.url()).origin));
      await view.goto(`${sharedService().baseUrl}/docs/api`);
      await view.locator('main').getByRole('link', { name: 'Transfers' }).click();
      await view.getByRole('heading', { name: 'Pays an account or an address' }).waitFor();
      await view.getByText('A decline is 402 and final for its key.').first().waitFor();
      expect(await view.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      expect(await accessibilityDefects(view)).toEqual([]);
      await view.goto(`${sharedService().baseUrl}/docs/api/transfers`);
      await view.waitForLoadState('networkidle');
      const bytes = await view.evaluate<number>(
        "performance.getEntriesByType('resource').reduce((sum, entry) => sum + entry.decodedBodySize, 0)",
      );
      expect(bytes).toBeLessThan(MAX_BYTES);
      await view.getByRole('button', { name: 'Search' }).click();
      await view.getByPlaceholder('Search').fill('Pays an account');
      await view.locator('.result', { hasText: 'Pays an account or an address' }).first().waitFor();
      expect([[...hosts], complaints]).toEqual([[sharedService().baseUrl], []]);
    } finally {
      await browser.close();
    }
  },
);
