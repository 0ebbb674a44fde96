import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Controller, Get, Req, Res, VERSION_NEUTRAL } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Public } from '../http/access';
import { NotFound } from '../http/domain.errors';
import { CONTENT_SECURITY_POLICY, readFiles, repositoryPath, sendFile, staticFile, type StaticFile } from './static-files';

const ROOT = '/docs/api';
/** The page's icons are data URLs in its style sheet. */
const REFERENCE_POLICY = { ...CONTENT_SECURITY_POLICY, 'img-src': "'self' data:" };

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Agent Payment Service: API reference</title>
    <link rel="icon" href="${ROOT}/favicon-32x32.png">
    <link rel="stylesheet" href="${ROOT}/swagger-ui.css">
    <script defer src="${ROOT}/swagger-ui-bundle.js"></script>
    <script defer src="${ROOT}/start.js"></script>
  </head>
  <body>
    <div id="reference"></div>
  </body>
</html>
`;

/** Without validatorUrl the page would send the document's address to a validator on another host. */
const START = `window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
`;

/** Serves docs/openapi.json, a page that shows it, the documentation for models, and the client library. The page needs no other host. */
@Public()
@Controller({ version: VERSION_NEUTRAL })
export class ReferenceController {
  private readonly document = staticFile('openapi.json', readFileSync(repositoryPath('docs', 'openapi.json')));
  /** Read at the first request: most processes serve none. */
  private files: Map<string, StaticFile> | undefined;
  private client: StaticFile | undefined;
  private llmsFiles: Map<string, StaticFile> | undefined;

  @Get('openapi.json')
  openapi(@Req() request: Request, @Res() response: Response): void {
    sendFile(request, response, this.document);
  }

  /** The files that scripts/llms.mjs makes at the build. */
  @Get(['llms.txt', 'llms-full.txt'])
  llms(@Req() request: Request, @Res() response: Response): void {
    this.llmsFiles ??= readFiles(repositoryPath('dist', 'llms'));
    const file = this.llmsFiles.get(request.path);
    if (!file) throw new NotFound('There is no such file: this service was built without its documentation.');
    sendFile(request, response, file);
  }

  /** The client library as a package: `npm install <this address>`. It is built after the service, beside the documentation. @throws NotFound */
  @Get('client.tgz')
  clientPackage(@Req() request: Request, @Res() response: Response): void {
    const path = repositoryPath('dist', 'client.tgz');
    if (!this.client && !existsSync(path)) throw new NotFound('The client library is being built: try again in a minute.');
    this.client ??= staticFile('client.tgz', readFileSync(path));
    sendFile(request, response, this.client);
  }

  @Get(['docs/api', 'docs/api/{*path}'])
  page(@Req() request: Request, @Res() response: Response): void {
    this.files ??= referenceFiles();
    const file = this.files.get(request.path.slice(ROOT.length).replace(/^\/$/, ''));
    if (!file) throw new NotFound('There is no such file.');
    sendFile(request, response, file, REFERENCE_POLICY);
  }
}

function referenceFiles(): Map<string, StaticFile> {
  const directory = dirname(require.resolve('swagger-ui-dist/package.json'));
  const names = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];
  return new Map([
    ['', staticFile('index.html', Buffer.from(PAGE))],
    ['/start.js', staticFile('start.js', Buffer.from(START))],
    ...names.map((name): [string, StaticFile] => [`/${name}`, staticFile(name, readFileSync(join(directory, name)))]),
  ]);
}
