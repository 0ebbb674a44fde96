import { Controller, Get, Req, Res, VERSION_NEUTRAL } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isOpenedByBrowser } from './opened-by-browser';
import { Public } from '../http/access';
import { NotFound } from '../http/domain.errors';
import { readFiles, repositoryPath, sendFile, type StaticFile } from '../site/static-files';

const ROOT = '/dashboard';

/** Serves the files of the dashboard. */
@Public()
@Controller({ path: 'dashboard', version: VERSION_NEUTRAL })
export class PageController {
  private readonly files = readFiles(repositoryPath('dist', 'apps', 'dashboard'));

  @Get(['', '{*path}'])
  show(@Req() request: Request, @Res() response: Response): void {
    sendFile(request, response, this.find(request.path.slice(ROOT.length), isOpenedByBrowser(request)));
  }

  /** The file of a path; for a path that only the page's router knows, and for a person, the page. @throws NotFound */
  private find(path: string, isPerson: boolean): StaticFile {
    const file = this.files.get(path === '' || path === '/' ? '/index.html' : path);
    const isFile = /^\/(assets|data)\/|\.[^/]*$/.test(path);
    const page = isFile && !isPerson ? undefined : this.files.get('/index.html');
    const found = file ?? page;
    if (!found) throw new NotFound('There is no such file.');
    return found;
  }
}

/** Serves the icon that browsers ask for beside any page. */
@Public()
@Controller({ path: 'favicon.ico', version: VERSION_NEUTRAL })
export class IconController {
  private readonly icon = readFiles(repositoryPath('dist', 'apps', 'dashboard')).get('/favicon.svg');

  /** @throws NotFound where the dashboard is not built. */
  @Get()
  show(@Req() request: Request, @Res() response: Response): void {
    if (!this.icon) throw new NotFound('There is no such file.');
    sendFile(request, response, this.icon);
  }
}
