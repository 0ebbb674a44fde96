import { Controller, Get, Req, Res, VERSION_NEUTRAL } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Public } from '../http/access';
import { NotFound } from '../http/domain.errors';
import { readPage, type PageFile } from './page-files';

const ROOT = '/dashboard';
/** Allows only files of this service, no inline script or style, and no framing. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves the files of the dashboard from memory, so that no path leads to another file. */
@Public()
@Controller({ path: 'dashboard', version: VERSION_NEUTRAL })
export class PageController {
  private readonly files = readPage();

  @Get(['', '*path'])
  show(@Req() request: Request, @Res() response: Response): void {
    const file = this.find(request.path.slice(ROOT.length));
    response.set({
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
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

  /** The file of a path; for a path that only the page's router knows, the page. @throws NotFound */
  private find(path: string): PageFile {
    const file = this.files.get(path === '' || path === '/' ? '/index.html' : path);
    const page = /^\/(assets|data)\/|\.[^/]*$/.test(path) ? undefined : this.files.get('/index.html');
    const found = file ?? page;
    if (!found) throw new NotFound('There is no such file.');
    return found;
  }
}
