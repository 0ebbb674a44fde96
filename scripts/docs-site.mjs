// `npm run docs:site`: builds docs/ as a static site into dist/docs, which the service serves at /docs.
import { copyFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vitepress';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await build(join(root, 'docs'));
// Drawings load it: see docs/.vitepress/theme/drawing.vue.
copyFileSync(join(root, 'node_modules', 'mermaid', 'dist', 'mermaid.min.js'), join(root, 'dist', 'docs', 'mermaid.min.js'));
