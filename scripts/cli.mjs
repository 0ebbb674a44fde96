// The package of the command line, in dist/cli: one file, which needs nothing else. `npm pack ./dist/cli`.
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const assembled = join(root, 'dist', 'cli');

rmSync(assembled, { recursive: true, force: true });
mkdirSync(assembled, { recursive: true });
const { version, license, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
// Not a file in apps/cli: there it would hide the root's `imports`, which name the client.
const manifest = {
  name: '@agent-payment-service/cli',
  version,
  description: 'Command line of the Agent Payment Service: USDC accounts on Solana for software agents',
  license,
  type: 'commonjs',
  engines,
  bin: { aps: './aps.js' },
  files: ['aps.js', 'openapi.json', 'README.md', 'THIRD_PARTY.md'],
};
writeFileSync(join(assembled, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
cpSync(join(root, 'docs', 'cli.md'), join(assembled, 'README.md'));
cpSync(join(root, 'LICENSE'), join(assembled, 'LICENSE'));
// The file that `aps mcp` reads the schemas of its tools from.
cpSync(join(root, 'docs', 'openapi.json'), join(assembled, 'openapi.json'));
await build({
  configFile: false,
  logLevel: 'warn',
  root: join(root, 'apps', 'cli'),
  resolve: {
    alias: Object.fromEntries(['client', 'mcp', 'spelling'].map((name) => [`#${name}`, join(root, 'libs', name, 'src', 'index.ts')])),
  },
  ssr: { noExternal: true },
  build: {
    ssr: join(root, 'apps', 'cli', 'src', 'bin', 'aps.ts'),
    outDir: assembled,
    emptyOutDir: false,
    minify: false,
    target: 'node20',
    license: { fileName: 'THIRD_PARTY.md' },
    rolldownOptions: {
      external: [...builtinModules, ...builtinModules.map((name) => `node:${name}`)],
      output: { format: 'cjs', entryFileNames: 'aps.js', codeSplitting: false },
    },
  },
});
chmodSync(join(assembled, 'aps.js'), 0o755);
