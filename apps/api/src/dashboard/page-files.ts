/** Reads the files that Vite has built of apps/dashboard. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A file as it is served. */
export interface PageFile {
  bytes: Buffer;
  zipped: Buffer;
  type: string;
  etag: string;
  cacheControl: string;
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** Files in assets/ have the hash of their content in their name. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
const REVALIDATE = 'no-cache';

/** The directory of the files, seen from dist/apps/api/src/dashboard and from apps/api/src/dashboard, where tests run. */
function directory(): string {
  const above = join(__dirname, '..', '..', '..', '..');
  return join(above, ...(existsSync(join(above, 'package.json')) ? ['dist'] : []), 'apps', 'dashboard');
}

/** All files by their path under /dashboard, such as `/index.html`. Empty where the dashboard was not built. */
export function readPage(root = directory()): Map<string, PageFile> {
  if (!existsSync(root)) return new Map();
  const names = readdirSync(root, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && extname(entry.name) in TYPES,
  );
  return new Map(names.map((entry) => fileAt(root, join(entry.parentPath, entry.name))));
}

function fileAt(root: string, path: string): [string, PageFile] {
  const name = path.slice(root.length).split(sep).join('/');
  const bytes = readFileSync(path);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return [
    name,
    {
      bytes,
      zipped: gzipSync(bytes),
      type: TYPES[extname(name)] ?? '',
      etag,
      cacheControl: name.startsWith('/assets/') ? IMMUTABLE : REVALIDATE,
    },
  ];
}
