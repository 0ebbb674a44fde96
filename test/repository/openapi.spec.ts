import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The generator reads all types of the service with the TypeScript compiler. */
jest.setTimeout(240_000);

const ROOT = join(__dirname, '..', '..');
const GENERATOR = join(ROOT, 'dist', 'apps', 'openapi', 'src', 'main.js');
const CLIENT = join(ROOT, 'scripts', 'client.mjs');
const LAYOUTS = join(ROOT, 'scripts', 'program', 'signing-layouts.mjs');
const PROGRAM = join(ROOT, 'scripts', 'docs', 'program-docs.mjs');

const outputOf = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, args, { maxBuffer: 16 * 1024 * 1024 })).stdout;

/** The first line in which a committed file differs from what is generated. A diff of such large files takes Jest minutes. */
function staleLine(path: string, generated: string, script = 'docs:openapi'): string | undefined {
  const [committed, wanted] = [readFileSync(join(ROOT, path), 'utf8').split('\n'), generated.split('\n')];
  const index = wanted.findIndex((line, at) => line !== committed[at]);
  if (index < 0 && wanted.length === committed.length) return undefined;
  const line = Math.max(index, 0);
  return `${path} is stale: run \`npm run ${script}\`. Line ${line + 1} is "${committed[line]}" and should be "${wanted[line]}".`;
}

test('docs/openapi.json is what `npm run docs:openapi` generates from the code', async () => {
  expect(staleLine('docs/openapi.json', await outputOf(GENERATOR, '--print'))).toBeUndefined();
});

test('the types of libs/client are what `npm run docs:openapi` generates from docs/openapi.json', async () => {
  expect(staleLine('libs/client/src/schema.ts', await outputOf(CLIENT, 'types', '--print'))).toBeUndefined();
});

test('the layouts by which libs/client reads transactions are what `npm run client:layouts` generates from the program’s interface', async () => {
  const generated = await outputOf(LAYOUTS, '--print');
  expect(staleLine('libs/client/src/signing/layouts.ts', generated, 'client:layouts')).toBeUndefined();
});

test('the instructions in docs/program.md are what `npm run docs:program` generates from the program’s interface', async () => {
  expect(staleLine('docs/program.md', await outputOf(PROGRAM, '--print'), 'docs:program')).toBeUndefined();
});

test('a field of a request that its class inherits has the description of its doc comment', () => {
  const { components } = JSON.parse(readFileSync(join(ROOT, 'docs', 'openapi.json'), 'utf8'));
  expect(components.schemas.CreateTransfer.properties.metadata.description).toBe('Stored and returned, not interpreted.');
});
