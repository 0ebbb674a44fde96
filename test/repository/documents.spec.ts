/** The files that the documents name. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

const ROOT = join(__dirname, '..', '..');
/** A source file by a path of at least one folder: from the root, or from a folder that the text is about. */
const NAMED = /`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|tsx|mjs|rs))`/g;

const pathsIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => `/${folder}/${path.split(sep).join('/')}`);
const sources = ['apps', 'libs', 'programs', 'scripts', 'test'].flatMap(pathsIn);
const documents = pathsIn('docs').filter((path) => path.endsWith('.md') && !path.includes('/node_modules/'));

test.each(['/CONTRIBUTING.md', '/SECURITY.md', ...documents])('%s names no source file that does not exist', (document) => {
  const named = [...readFileSync(join(ROOT, document), 'utf8').matchAll(NAMED)].map(([, path]) => `/${path}`);
  expect(named.filter((path) => !sources.some((source) => source.endsWith(path)))).toEqual([]);
});
