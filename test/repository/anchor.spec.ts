/** `anchor test --validator legacy` is the command of the documents, of the gate and of the workflow, and finds what it needs. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const COMMAND = 'anchor test --validator legacy';

test.each(['README.md', 'CONTRIBUTING.md', '.ci/run', '.github/workflows/ci.yml'])(
  '%s names anchor test with the legacy validator',
  (path) => expect(read(path)).toContain(COMMAND),
);

test('Anchor.toml makes its wallet before the build, and its test script prepares the service', () => {
  const [, hook = ''] = /^pre-build = "node (.+)"$/m.exec(read('Anchor.toml')) ?? [];
  expect(existsSync(join(ROOT, hook))).toBe(true);
  const [, script = ''] = /^test = "npm run (.+)"$/m.exec(read('Anchor.toml')) ?? [];
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  expect(scripts[`pre${script}`]).toBe('node scripts/prepare.mjs');
  expect(scripts[script]).toMatch(/^SERVICE_CHAIN=validator jest/);
});

test('the workflow installs the Anchor and the Agave that built the committed program', () => {
  const workflow = read('.github/workflows/ci.yml');
  const compiler = read('libs/chain/program/compiler.txt');
  const [, anchor] = /ANCHOR_VERSION: '(.+)'/.exec(workflow) ?? [];
  const [, agave] = /AGAVE_VERSION: '(.+)'/.exec(workflow) ?? [];
  expect(compiler).toContain(`anchor-cli ${anchor}`);
  expect(compiler).toContain(`solana-cargo-build-sbf ${agave}`);
  expect(workflow).toContain('npm run program:check');
});
