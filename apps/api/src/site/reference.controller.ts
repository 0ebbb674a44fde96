import { existsSync, readFileSync } from 'node:fs';
import { Controller, Get, Req, Res, VERSION_NEUTRAL } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Public } from '../http/access';
import { NotFound } from '../http/domain.errors';
import { readFiles, repositoryPath, sendFile, sendLater, staticFile, type StaticFile } from './static-files';

/** Serves docs/openapi.json, the documentation for models, and the client library. */
@Public()
@Controller({ version: VERSION_NEUTRAL })
export class ReferenceController {
  private readonly document = staticFile('openapi.json', readFileSync(repositoryPath('docs', 'openapi.json')));
  /** Read at the first request: most processes serve none. */
  private client: StaticFile | undefined;
  private llmsFiles: Map<string, StaticFile> | undefined;

  @Get('openapi.json')
  openapi(@Req() request: Request, @Res() response: Response): void {
    sendFile(request, response, this.document);
  }

  /** The files that scripts/docs/llms.mjs makes at the build. */
  @Get(['llms.txt', 'llms-full.txt'])
  llms(@Req() request: Request, @Res() response: Response): void {
    this.llmsFiles ??= readFiles(repositoryPath('dist', 'llms'));
    const file = this.llmsFiles.get(request.path);
    if (!file) throw new NotFound('There is no such file: this service was built without its documentation.');
    sendFile(request, response, file);
  }

  /** The client library as a package: `npm install <this address>`. It is built after the service, beside the documentation; until then 503. */
  @Get('client.tgz')
  clientPackage(@Req() request: Request, @Res() response: Response): void {
    const path = repositoryPath('dist', 'client.tgz');
    if (!this.client && !existsSync(path)) return sendLater(response, 'The client library is being built.');
    this.client ??= staticFile('client.tgz', readFileSync(path));
    sendFile(request, response, this.client);
  }
}
