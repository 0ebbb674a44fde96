// `npm run docs:site`: builds docs/ as a static site into dist/docs, which the service serves at /docs.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vitepress';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

await build(join(root, 'docs'));
// The last file: with it the service serves the site.
writeFileSync(join(root, 'dist', 'docs', 'built.txt'), '');
