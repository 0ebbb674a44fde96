/** docs/errors.md describes every code and every reason of a decline. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES } from '../../apps/api/src/http/answers';

const ROOT = join(__dirname, '..', '..');
const page = readFileSync(join(ROOT, 'docs', 'errors.md'), 'utf8');
const anchors = new Set(
  [...page.matchAll(/^### `(\w+)` \{#(\w+)\}$/gm)].map(([, title, anchor]) => (title === anchor ? anchor : undefined)),
);

function sourcesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('spec.ts'))
    .map((name) => readFileSync(join(ROOT, folder, name), 'utf8'));
}

const reasons = sourcesBelow('apps/api/src').flatMap((source) => [
  ...[...source.matchAll(/because\(\s*'(\w+)'/g)].map(([, reason]) => reason),
  ...[...source.matchAll(/rule: '(\w+)'/g)].map(([, reason]) => reason),
]);
const words = readFileSync(join(ROOT, 'apps', 'api', 'src', 'orders', 'processing', 'violations.ts'), 'utf8');
const rules = [...(/const WORDS[\s\S]*?^};/m.exec(words)?.[0] ?? '').matchAll(/^ {2}(\w+): \(/gm)].map(([, rule]) => rule);

test.each([...new Set([...ERROR_CODES, ...reasons, ...rules, 'denied', 'approval_expired'])])(
  'docs/errors.md has an anchor for %s',
  (name) => expect(anchors).toContain(name),
);
