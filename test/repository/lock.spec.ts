import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { minVersion, satisfies } from 'semver';

/** The parts of npm's lock that are read here. */
interface Lock {
  packages: Record<string, LockedPackage>;
}

interface LockedPackage {
  name?: string;
  version?: string;
  hasInstallScript?: boolean;
  engines?: { node?: string };
  peerDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/** The parts of package.json that are read here. */
interface Manifest {
  engines: { node: string };
  allowScripts: Record<string, boolean>;
  /** A version for all, or for the dependencies of a package. */
  overrides: Record<string, string | Record<string, string>>;
}

const ROOT = join(__dirname, '..', '..');
const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;

test('the lock names every optional package of all platforms, which `npm ci` requires', () => {
  const { packages } = lock;
  const missing = Object.entries(packages).flatMap(([path, entry]) =>
    Object.keys(entry.optionalDependencies ?? {}).filter((name) => !placesOf(path, name).some((place) => packages[place]?.version)),
  );
  expect(missing).toEqual([]);
});

test('every peer dependency in the lock has a version that is accepted or overridden, which npm 10 of Node 20 and 22 requires', () => {
  const { packages } = lock;
  const unmet = Object.entries(packages).flatMap(([path, { peerDependencies = {} }]) =>
    Object.entries(peerDependencies).filter(([name, range]) => {
      const version = placesOf(path, name)
        .map((place) => packages[place]?.version)
        .find((found) => found !== undefined);
      return version !== undefined && !satisfies(version, range) && !isOverridden(path, name);
    }),
  );
  expect(unmet).toEqual([]);
});

/** Whether package.json overrides a package's version, for all or for the packages around this place in the lock. */
function isOverridden(path: string, name: string): boolean {
  const around = path.split('node_modules/').map((part) => manifest.overrides[part.replace(/\/$/, '')]);
  return typeof manifest.overrides[name] === 'string' || around.some((scope) => typeof scope === 'object' && name in scope);
}

test('every package of the lock supports the oldest Node that package.json names, so that npm prints no EBADENGINE', () => {
  const oldest = minVersion(manifest.engines.node)?.version ?? '';
  expect(oldest).toBe('20.19.0');
  const refusing = Object.entries(lock.packages).filter(
    ([, { engines }]) => engines?.node !== undefined && !satisfies(oldest, engines.node),
  );
  expect(refusing.map(([path, { engines }]) => `${path}: ${engines?.node ?? ''}`)).toEqual([]);
});

test('every install script of the lock is reviewed in allowScripts, so that npm runs it without a warning', () => {
  const scripts = Object.entries(lock.packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  const names = scripts.map(([path, { name }]) => name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
  expect(Object.keys(manifest.allowScripts).sort()).toEqual(names.sort());
});

test("Nest's FileTypeValidator recognizes an image with the file-type version that package.json overrides", () => {
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  // In plain Node: Jest cannot load an ES module that another one imports at run time.
  const script = `
    import { FileTypeValidator } from '@nestjs/common';
    const buffer = Buffer.from('${png}', 'base64');
    const valid = (fileType) => new FileTypeValidator({ fileType }).isValid({ buffer, mimetype: fileType, size: buffer.length });
    console.log(JSON.stringify([await valid('image/png'), await valid('image/gif')]));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT, encoding: 'utf8' });
  expect({ stdout, stderr }).toEqual({ stdout: '[true,false]\n', stderr: '' });
});

/** Folders in which Node would look for a package, from another one outwards. */
function placesOf(path: string, name: string): string[] {
  const folders = path === '' ? [''] : [path, ...placesAbove(path)];
  return folders.map((folder) => `${folder === '' ? '' : `${folder}/`}node_modules/${name}`);
}

function placesAbove(path: string): string[] {
  const end = path.lastIndexOf('/node_modules/');
  return end < 0 ? [''] : [path.slice(0, end), ...placesAbove(path.slice(0, end))];
}
