// Translates the sources of apps and libs into dist, file by file, without checking types: that is `npm run lint:types`.
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformFile } from '@swc/core';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const SOURCES = ['apps/api/src', 'apps/cli/src', 'apps/openapi/src', 'libs'];
/** The IDL of the program is imported too. */
const isSource = (path) =>
  (/\.ts$/.test(path) && !/(\.d|spec|\.builder)\.ts$/.test(path) && !/[\\/]test[\\/]/.test(path)) ||
  /[\\/]program[\\/]\w+\.json$/.test(path);

await Promise.all(SOURCES.map(compile));

/** Translates a folder. What lies in dist without a source any more is removed. */
async function compile(folder) {
  const paths = readdirSync(join(root, folder), { recursive: true }).filter(isSource);
  rmSync(join(root, 'dist', folder), { recursive: true, force: true });
  await Promise.all(paths.map((path) => compileFile(join(folder, path))));
}

async function compileFile(path) {
  const target = join(root, 'dist', path.replace(/\.ts$/, '.js'));
  mkdirSync(dirname(target), { recursive: true });
  if (path.endsWith('.json')) return copyFileSync(join(root, path), target);
  const { code, map } = await transformFile(join(root, path), { cwd: root });
  writeFileSync(target, `${code}\n//# sourceMappingURL=${basename(target)}.map\n`);
  writeFileSync(`${target}.map`, map);
}
