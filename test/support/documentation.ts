import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** The code blocks of a language in a page, in order. The page is a path in the repository. */
export function blocksOf(page: string, language: string): string[] {
  return [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .filter(([, name]) => name === language)
    .map(([, , block = '']) => block.trim());
}
