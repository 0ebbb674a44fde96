import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The version of the package that this file is part of: of the command line's own, or of the whole project. */
export function packageVersion(directory = __dirname): string {
  const file = join(directory, 'package.json');
  if (!existsSync(file)) return packageVersion(dirname(directory));
  return String((JSON.parse(readFileSync(file, 'utf8')) as { version: unknown }).version);
}
