import { Controller, Get, Req, Res, VERSION_NEUTRAL } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Public } from '../http/access';
import { NotFound } from '../http/domain.errors';
import { readFiles, repositoryPath, sendFile, type StaticFile } from '../http/static-files';

const ROOT = '/dashboard';

/** Serves the files of the dashboard. */
@Public()
@Controller({ path: 'dashboard', version: VERSION_NEUTRAL })
export class PageController {
  private readonly files = readFiles(repositoryPath('dist', 'apps', 'dashboard'));

  @Get(['', '*path'])
  show(@Req() request: Request, @Res() response: Response): void {
    sendFile(request, response, this.find(request.path.slice(ROOT.length)));
  }

  /** The file of a path; for a path that only the page's router knows, the page. @throws NotFound */
  private find(path: string): StaticFile {
    const file = this.files.get(path === '' || path === '/' ? '/index.html' : path);
    const page = /^\/(assets|data)\/|\.[^/]*$/.test(path) ? undefined : this.files.get('/index.html');
    const found = file ?? page;
    if (!found) throw new NotFound('There is no such file.');
    return found;
  }
}
