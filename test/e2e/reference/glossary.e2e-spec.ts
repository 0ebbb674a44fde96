/** Terms of the documentation lead to the glossary. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SITE = join(__dirname, '..', '..', '..', 'dist', 'docs');
const read = (name: string): string => readFileSync(join(SITE, name), 'utf8');
const pages = readdirSync(SITE, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.html') && name !== '404.html');
const termsIn = (html: string): string[] =>
  [...html.matchAll(/<a href="\/docs\/glossary#(term-[a-z0-9-]+)"/g)].map(([, anchor = '']) => anchor);

test('the first use of a term in a page leads to its row of the glossary, and later ones do not', () => {
  const rows = new Set([...read('glossary.html').matchAll(/<tr id="(term-[a-z0-9-]+)"/g)].map(([, anchor]) => anchor));
  expect(rows.size).toBeGreaterThan(50);
  const linked = pages.map((name) => ({ name, terms: termsIn(read(name)) }));
  for (const { name, terms } of linked) {
    expect([name, terms.filter((anchor) => !rows.has(anchor))]).toEqual([name, []]);
    expect([name, terms.length]).toEqual([name, new Set(terms).size]);
  }
  expect(linked.find(({ name }) => name === 'concepts.html')?.terms).toEqual(
    expect.arrayContaining(['term-account', 'term-policy', 'term-idempotency-key', 'term-nonce', 'term-session', 'term-voucher']),
  );
  expect(linked.filter(({ terms }) => terms.length > 0).length).toBeGreaterThan(20);
});

test('headings, links, code and the API reference have no links to the glossary', () => {
  for (const name of pages) {
    const html = read(name);
    const within = [...html.matchAll(/<(h[1-6]|code|pre)\b[^>]*>(?:(?!<\/\1>).)*class="term"/gs)];
    expect([name, within.length]).toEqual([name, 0]);
    if (name.startsWith('api/')) expect([name, termsIn(html)]).toEqual([name, []]);
  }
});

test('a session of HTTP is not the one of the glossary', () =>
  expect(termsIn(read(join('adr', '0012-mcp-tools-call-the-http-api.html')))).not.toContain('term-session'));
