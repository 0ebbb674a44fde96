import { VersioningType } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import helmet from 'helmet';
import { Draining } from '../runtime/draining';
import { ErrorFilter } from './error.filter';
import { JsonBodyInterceptor } from './json-body';
import { requestId } from './request-id';
import { validationPipe } from './validation';

/** How long a client may take to send its headers, and a whole request; and how long an idle connection is kept. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than the minute after which common load balancers drop an idle connection, so that they do it and not we. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** Makes an application the service of the contract: `main.ts` and every test over HTTP call this, and nothing else. Create the app with `bodyParser: false`. */
export function configureApp(app: NestExpressApplication): NestExpressApplication {
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', 'simple');
  app.use(requestId);
  app.use(helmet());
  app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
  app.useGlobalInterceptors(new JsonBodyInterceptor());
  app.useGlobalPipes(validationPipe());
  app.useGlobalFilters(new ErrorFilter());
  const server = app.getHttpServer();
  app.get(Draining).watch(server);
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  return app;
}
