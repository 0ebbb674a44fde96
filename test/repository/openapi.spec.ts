import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(__dirname, '..', '..');
const GENERATOR = join(ROOT, 'dist', 'apps', 'openapi', 'src', 'main.js');

test('docs/openapi.json is what `npm run docs:openapi` generates from the code', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [GENERATOR, '--print'], { maxBuffer: 16 * 1024 * 1024 });
  expect(readFileSync(join(ROOT, 'docs', 'openapi.json'), 'utf8')).toBe(stdout);
});
