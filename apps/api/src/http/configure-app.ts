import { VersioningType } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import helmet from 'helmet';
import { Config } from '../runtime/config';
import { Draining } from '../runtime/draining';
import { ErrorFilter } from './error.filter';
import { JsonBodyInterceptor } from './json-body';
import { requestId } from './request-id';
import { methodsOf, type Route, routesOf } from './routes';
import { validationPipe } from './validation';

/** How long a client may take to send its headers, and to send a whole request. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** How long an idle connection stays open. Common load balancers close it after a minute, and must be the first to do so. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** Configures an application that was created with `bodyParser: false`, for the server and for every test over HTTP. */
export function configureApp(app: NestExpressApplication): NestExpressApplication {
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', 'simple');
  app.set('trust proxy', app.get(Config).TRUSTED_PROXIES);
  app.use(requestId);
  app.use(helmet());
  app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
  app.useGlobalInterceptors(new JsonBodyInterceptor());
  app.useGlobalPipes(validationPipe());
  let routes: Route[] | undefined;
  app.useGlobalFilters(new ErrorFilter((path) => methodsOf((routes ??= routesOf(app)), path)));
  const server = app.getHttpServer();
  app.get(Draining).watch(server);
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  return app;
}
