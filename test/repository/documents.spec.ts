/** The files that the documents name. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathsBelow, ROOT, SOURCES } from './tree';

/** A source file by a path of at least one folder: from the root, or from a folder that the text is about. */
const NAMED = /`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|tsx|mjs|rs))`/g;

const sources = pathsBelow(SOURCES).map((path) => `/${path}`);
const documents = pathsBelow(['docs']).filter((path) => path.endsWith('.md'));

test.each(['CONTRIBUTING.md', 'SECURITY.md', ...documents])('%s names no source file that does not exist', (document) => {
  const named = [...readFileSync(join(ROOT, document), 'utf8').matchAll(NAMED)].map(([, path]) => `/${path}`);
  expect(named.filter((path) => !sources.some((source) => source.endsWith(path)))).toEqual([]);
});
