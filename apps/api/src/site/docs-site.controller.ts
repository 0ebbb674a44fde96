import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Controller, Get, Req, Res, VERSION_NEUTRAL } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Public } from '../http/access';
import { NotFound } from '../http/domain.errors';
import { CONTENT_SECURITY_POLICY, readFiles, repositoryPath, sendFile, sendLater, type StaticFile } from './static-files';

const ROOT = '/docs';
/** The file that `npm run docs:site` writes last. */
const LAST_FILE = 'built.txt';

/** The documentation and the API reference, which `npm run docs:site` builds. */
@Public()
@Controller({ path: 'docs', version: VERSION_NEUTRAL })
export class DocsSiteController {
  /** Read at the first request: most processes serve none. */
  private site: { files: Map<string, StaticFile>; policy: typeof CONTENT_SECURITY_POLICY & { 'font-src': string } } | undefined;

  protected readonly folder = repositoryPath('dist', 'docs');

  /** Sends a page or a file of the site; while it is being built, 503 and a page that loads itself again. @throws NotFound */
  @Get(['', '{*path}'])
  show(@Req() request: Request, @Res() response: Response): void {
    // Links of the home page are relative to the folder.
    if (request.path === ROOT) return void response.redirect(301, `${ROOT}/`);
    // Not kept while it is being built: `npm start` does not wait for it.
    if (!this.site && !existsSync(join(this.folder, LAST_FILE))) return sendLater(response, 'The documentation is being built.');
    this.site ??= readSite(this.folder);
    const path = request.path.slice(ROOT.length);
    // The relative links of a folder's page need its final slash.
    if (!path.endsWith('/') && this.site.files.has(`${path}/index.html`)) return void response.redirect(301, `${request.path}/`);
    const file = [path, `${path}.html`, `${path}index.html`].map((name) => this.site?.files.get(name)).find(Boolean);
    if (!file) throw new NotFound('There is no such page.');
    sendFile(request, response, file, this.site.policy);
  }
}

/** VitePress puts one script into every page, which the policy allows by its hash, and colours of code into style attributes. */
function readSite(folder: string): { files: Map<string, StaticFile>; policy: typeof CONTENT_SECURITY_POLICY & { 'font-src': string } } {
  const files = readFiles(folder);
  const scripts = [...files.values()]
    .filter(({ type }) => type.startsWith('text/html'))
    .flatMap(({ bytes }) => [...bytes.toString().matchAll(/<script(?![^>]*\ssrc=)[^>]*>([^<]+)<\/script>/g)].map(([, text = '']) => text));
  const hashes = [...new Set(scripts)].map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  return {
    files,
    policy: {
      ...CONTENT_SECURITY_POLICY,
      'script-src': ["'self'", ...hashes].join(' '),
      'style-src': "'self' 'unsafe-inline'",
      'img-src': "'self' data:",
      'font-src': "'self'",
    },
  };
}
