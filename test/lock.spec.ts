import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** As much of npm's lock as is read here. */
interface Lock {
  packages: Record<string, { version?: string; optionalDependencies?: Record<string, string> }>;
}

test('the lock names every optional package, also those of other platforms, or `npm ci` refuses it everywhere', () => {
  const { packages } = JSON.parse(readFileSync(join(__dirname, '..', 'package-lock.json'), 'utf8')) as Lock;
  const missing = Object.entries(packages).flatMap(([path, entry]) =>
    Object.keys(entry.optionalDependencies ?? {}).filter((name) => !placesOf(path, name).some((place) => packages[place]?.version)),
  );
  expect(missing).toEqual([]);
});

/** Where Node would look for a package, from another one outwards. */
function placesOf(path: string, name: string): string[] {
  const folders = path === '' ? [''] : [path, ...placesAbove(path)];
  return folders.map((folder) => `${folder === '' ? '' : `${folder}/`}node_modules/${name}`);
}

function placesAbove(path: string): string[] {
  const end = path.lastIndexOf('/node_modules/');
  return end < 0 ? [''] : [path.slice(0, end), ...placesAbove(path.slice(0, end))];
}
