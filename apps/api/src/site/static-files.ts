/** Files that are served from memory, so that no path leads to another file. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, extname, join, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Request, Response } from 'express';

/** A file as it is served. */
export interface StaticFile {
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
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.woff2': 'font/woff2',
  '.tgz': 'application/gzip',
  '.webmanifest': 'application/manifest+json',
};
/** For files that have the hash of their content in their name. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
const REVALIDATE = 'no-cache';

/** Allows only files of this service, no inline script or style, and no framing. */
export const CONTENT_SECURITY_POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self'",
  'connect-src': "'self'",
  'form-action': "'self'",
  'manifest-src': "'self'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
};

/** A path of the repository, seen from dist/apps/api/src/http and from apps/api/src/http, if tests run. */
export function repositoryPath(...parts: string[]): string {
  const above = join(__dirname, '..', '..', '..', '..');
  return join(existsSync(join(above, 'package.json')) ? above : dirname(above), ...parts);
}

/** All files below a directory, by their path in it, such as `/index.html`. Empty if there is no such directory. */
export function readFiles(root: string): Map<string, StaticFile> {
  if (!existsSync(root)) return new Map();
  const names = readdirSync(root, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && extname(entry.name) in TYPES,
  );
  return new Map(
    names.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const name = path.slice(root.length).split(sep).join('/');
      return [name, staticFile(name, readFileSync(path), { isImmutable: name.startsWith('/assets/') })];
    }),
  );
}

/** A file of these bytes. Its name determines its type. */
export function staticFile(name: string, bytes: Buffer, { isImmutable = false } = {}): StaticFile {
  return {
    bytes,
    zipped: gzipSync(bytes),
    type: TYPES[extname(name)] ?? '',
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    cacheControl: isImmutable ? IMMUTABLE : REVALIDATE,
  };
}

/** Pages that are built after the start are there within half a minute. */
const RETRY_AFTER_SECONDS = 3;

/** Answers 503 for what is still being built, by a page that says so and loads itself again. */
export function sendLater(response: Response, sentence: string): void {
  response
    .status(503)
    .set({ 'Retry-After': String(RETRY_AFTER_SECONDS), 'Cache-Control': 'no-store', 'Content-Security-Policy': "default-src 'none'" })
    .type('html')
    .send(
      `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
        `<meta name="color-scheme" content="light dark"><meta http-equiv="refresh" content="${RETRY_AFTER_SECONDS}">` +
        `<title>${sentence}</title><p>${sentence} This page loads itself again.</p></html>\n`,
    );
}

/** Sends a file, compressed if the client takes that, or 304 if the client has it. */
export function sendFile(request: Request, response: Response, file: StaticFile, policy = CONTENT_SECURITY_POLICY): void {
  response.set({
    'Content-Security-Policy': Object.entries(policy)
      .map((directive) => directive.join(' '))
      .join('; '),
    'X-Frame-Options': 'DENY',
    'Cache-Control': file.cacheControl,
    ETag: file.etag,
    Vary: 'Accept-Encoding',
  });
  if (request.get('If-None-Match') === file.etag) return void response.status(304).end();
  const isZipped = request.acceptsEncodings('gzip') === 'gzip';
  if (isZipped) response.set('Content-Encoding', 'gzip');
  response.set('Content-Type', file.type).end(isZipped ? file.zipped : file.bytes);
}
