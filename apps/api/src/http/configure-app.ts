import { VersioningType } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import { Config } from '../runtime/config';
import { Draining } from '../runtime/process/draining';
import { Metrics } from '../runtime/observability/metrics';
import { urlOf } from '../runtime/process/server';
import { DeclineLinksInterceptor, DocLinks } from './errors/doc-links';
import { ErrorFilter } from './errors/error.filter';
import { AccountHandles, HandlesInterceptor } from './handles';
import { JsonBodyInterceptor } from './body/json-body';
import { requestId } from './requests/request-id';
import { requestTrace } from './requests/request-trace';
import { requestMetrics } from './requests/request-metrics';
import { type Route, routesOf } from './requests/routes';
import { validationPipe } from './validation/validation';

/** How long a client may take to send its headers, and to send a whole request. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** How long an idle connection stays open. Common load balancers close it after a minute, and must be the first to do so. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** Configures an application that was created with `bodyParser: false`, for the server and for every test over HTTP. */
export function configureApp(app: NestExpressApplication): NestExpressApplication {
  // Other spellings of a path would pass the filters of a proxy. Express's settings are read when the router is created: Nest has done that.
  const express: { router: object } = app.getHttpAdapter().getInstance();
  Object.assign(express.router, { caseSensitive: true, strict: true });
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', 'simple');
  app.set('trust proxy', app.get(Config).TRUSTED_PROXIES);
  app.use(requestId);
  app.use(requestTrace);
  app.use(requestMetrics(app.get(Metrics)));
  app.use(helmet());
  app.use('/v1', notStored);
  app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
  const links = new DocLinks(() => app.get(Config).PUBLIC_URL ?? urlOf(app));
  const handles = new HandlesInterceptor(() => app.get(AccountHandles, { strict: false }));
  app.useGlobalInterceptors(new JsonBodyInterceptor(), handles, new DeclineLinksInterceptor(links));
  app.useGlobalPipes(validationPipe());
  let routes: Route[] | undefined;
  app.useGlobalFilters(new ErrorFilter(links, () => (routes ??= routesOf(app))));
  const server = app.getHttpServer();
  app.get(Draining).watch(server);
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  return app;
}

/** Keeps answers of the API out of the caches of proxies and browsers. */
function notStored(_request: Request, response: Response, next: NextFunction): void {
  response.set('Cache-Control', 'no-store');
  next();
}
