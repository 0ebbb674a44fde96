// The client library, libs/client. `node scripts/client.mjs types` writes its types from docs/openapi.json (`--print`: to stdout);
// `node scripts/client.mjs build` makes the package in dist/client, and dist/client.tgz of it, which the service serves.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'vite';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const library = join(root, 'libs', 'client');
/** The package, and its modules. */
const assembled = join(root, 'dist', 'client');
const dist = join(assembled, 'dist');
const HEADER = '/** Types of the API, made of docs/openapi.json by `npm run docs:openapi`. Do not edit. */\n';

if (process.argv[2] === 'types') await types();
else await bundle();

async function types() {
  // Only developers have this package.
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  const schema = await openapiTS(pathToFileURL(join(root, 'docs', 'openapi.json')), { alphabetize: true });
  const text = HEADER + astToString(schema);
  if (process.argv.includes('--print')) process.stdout.write(text);
  else writeFileSync(join(library, 'src', 'schema.ts'), text);
}

/** Both kinds of module, each with its declarations. Dependencies are bundled: the package installs nothing else. */
async function bundle() {
  rmSync(assembled, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  for (const name of ['package.json', 'README.md']) cpSync(join(library, name), join(assembled, name));
  cpSync(join(root, 'LICENSE'), join(assembled, 'LICENSE'));
  const declarations = join(dist, 'types');
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', library, '--outDir', declarations], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  for (const [folder, format, type] of [
    ['esm', 'es', 'module'],
    ['cjs', 'cjs', 'commonjs'],
  ]) {
    const directory = join(dist, folder);
    await build({
      configFile: false,
      logLevel: 'warn',
      root: library,
      build: {
        outDir: directory,
        minify: false,
        sourcemap: true,
        emptyOutDir: true,
        license: { fileName: 'THIRD_PARTY.md' },
        target: 'es2022',
        lib: { entry: join(library, 'src', 'index.ts'), formats: [format], fileName: () => 'index.js' },
        rolldownOptions: { output: { exports: 'named' } },
      },
    });
    mkdirSync(directory, { recursive: true });
    cpSync(declarations, directory, { recursive: true });
    // In an ES module a relative import needs its extension.
    for (const name of readdirSync(directory, { recursive: true }).filter((each) => each.endsWith('.d.ts'))) {
      const path = join(directory, name);
      writeFileSync(path, readFileSync(path, 'utf8').replace(/(from|import\()\s*'((?:\.\.?\/)+[\w/-]+)'/g, "$1 '$2.js'"));
    }
    writeFileSync(join(directory, 'package.json'), `${JSON.stringify({ type })}\n`);
  }
  rmSync(declarations, { recursive: true });
  pack();
}

/** The package as one file, at its place once it is whole. */
function pack() {
  const { status, stdout } = spawnSync('npm', ['pack', '--silent', assembled, '--pack-destination', dist], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
  renameSync(join(dist, stdout.trim()), join(root, 'dist', 'client.tgz'));
}
