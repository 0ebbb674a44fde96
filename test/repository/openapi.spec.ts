import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(__dirname, '..', '..');
const GENERATOR = join(ROOT, 'dist', 'apps', 'openapi', 'src', 'main.js');
const CLIENT = join(ROOT, 'scripts', 'client.mjs');

const outputOf = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, args, { maxBuffer: 16 * 1024 * 1024 })).stdout;

test('docs/openapi.json is what `npm run docs:openapi` generates from the code', async () => {
  expect(readFileSync(join(ROOT, 'docs', 'openapi.json'), 'utf8')).toBe(await outputOf(GENERATOR, '--print'));
});

test('the types of libs/client are what `npm run docs:openapi` generates from docs/openapi.json', async () => {
  expect(readFileSync(join(ROOT, 'libs', 'client', 'src', 'schema.ts'), 'utf8')).toBe(await outputOf(CLIENT, 'types', '--print'));
});
