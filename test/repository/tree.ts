/** The files of the project. */
import { readdirSync } from 'node:fs';
import { join, sep } from 'node:path';

export const ROOT = join(__dirname, '..', '..');
/** The folders that have source files. */
export const SOURCES = ['apps', 'libs', 'programs', 'scripts', 'test'];

/** The paths, from the root, of all that folders have, without installed packages. */
export function pathsBelow(folders: string[]): string[] {
  return folders
    .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)))
    .filter((path) => !path.split(sep).includes('node_modules'));
}
