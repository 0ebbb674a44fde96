import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transferToTry } from './try-it';

const ROOT = join(__dirname, '..', '..', '..', '..');

test('the first transfer that npm start names is a section of the README, and gives its variables', () => {
  const said = transferToTry('http://127.0.0.1:4000', '/data');
  const [, title = ''] = /README\.md, "(.+)"\./.exec(said) ?? [];
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const section = readme.slice(readme.indexOf(`## ${title}\n`));
  for (const variable of ['BASE_URL', 'OPERATOR_KEY']) {
    expect(said).toContain(`${variable}=`);
    expect(section).toContain(`export ${variable}=\${${variable}:-`);
  }
});

test('the guide to fleets that npm start names is a page', () => {
  const [, page = ''] = /\/docs\/(\S+)$/.exec(transferToTry('http://127.0.0.1:4000', '/data')) ?? [];
  expect(existsSync(join(ROOT, 'docs', `${page}.md`))).toBe(true);
});

test('npm start does not wait for the documentation', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
  expect(scripts.prestart).toBe('node scripts/prepare.mjs --run');
});
