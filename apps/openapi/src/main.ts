/** `npm run docs:openapi`: writes docs/openapi.json from the code. `--print` writes to stdout instead. Needs no database and no chain. */
import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildDocument } from './document';

/** The root of the repository, seen from dist/apps/openapi/src. */
const ROOT = join(__dirname, '..', '..', '..', '..');

async function main(): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const text = `${JSON.stringify(await buildDocument(ROOT, version), null, 2)}\n`;
  if (process.argv.includes('--print')) process.stdout.write(text);
  else writeFileSync(join(ROOT, 'docs', 'openapi.json'), text);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
