import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ChainOutcomeUnknownError, ChainRefusedError, ChainUnavailableError } from '#chain';
import { storageFault } from '#database';
import { DocLinks } from './doc-links';
import {
  ACCOUNT_MISSING,
  ChainUnavailable,
  DomainError,
  InvalidRequest,
  isMissing,
  MethodNotAllowed,
  NotFound,
  PayloadTooLarge,
  StorageUnavailable,
  UnsupportedMediaType,
} from '../domain.errors';
import { requestIdOf } from '../requests/request-id';
import { methodsOf, pathNear, type Route } from '../requests/routes';

/** Translates every error into the one error body. An unexpected error is logged, and the body shows none of its details. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Error');

  constructor(
    private readonly links: DocLinks,
    private readonly routes: () => readonly Route[] = () => [],
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const error = this.wrongMethod(thrown, request) ?? this.unknownRoute(thrown, request) ?? toDomainError(thrown, request.method);
    if (error.status >= 500) this.log(thrown, error, request, requestIdOf(response));
    if (response.headersSent) return void response.end();
    response.status(error.status).set(error.headers);
    const body = { error: error.code, message: error.message, request_id: requestIdOf(response), ...error.details };
    response.json({ ...body, doc_url: this.links.of(body) });
  }

  /** The router answers 404 also if the path takes other methods, and another route may take the last part of a path for an id. */
  private wrongMethod(thrown: unknown, { method, path }: Request): MethodNotAllowed | undefined {
    if (!(thrown instanceof NotFound || isUnrouted(thrown)) || path.includes('%00')) return undefined;
    const allowed = methodsOf(this.routes(), path);
    return allowed.length > 0 && !allowed.includes(method) ? new MethodNotAllowed(method, allowed) : undefined;
  }

  private unknownRoute(thrown: unknown, { path }: Request): NotFound | undefined {
    if (!isUnrouted(thrown)) return undefined;
    const meant = pathNear(this.routes(), path);
    if (meant !== undefined) return new NotFound(`There is no such route: did you mean ${meant}?`);
    return new NotFound('There is no such route: the paths of the API begin with /v1, and /docs/api lists all of them.');
  }

  private log(thrown: unknown, error: DomainError, request: Request, id: string): void {
    const what = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    // An expected failure, such as an unavailable chain or provider, is not a bug: it is logged without a stack trace.
    if (error.status > 500) this.logger.warn(`${request.method} ${request.path} ${error.code}: ${error.message} [${id}]`);
    else this.logger.error(`${request.method} ${request.path} failed [${id}]: ${what}`);
  }
}

/** A read sends nothing in any case. */
const READ_FAILED = 'The chain cannot be reached right now: try again.';

function toDomainError(thrown: unknown, method: string): DomainError {
  if (thrown instanceof DomainError) return thrown;
  if (thrown instanceof ChainUnavailableError) return method === 'GET' ? new ChainUnavailable(READ_FAILED) : new ChainUnavailable();
  if (thrown instanceof ChainOutcomeUnknownError)
    return new ChainUnavailable(
      'The change was sent to the chain and is not seen there yet. It may still take effect: read the object again.',
    );
  if (thrown instanceof ChainRefusedError && isMissing(thrown.reason)) return new ChainUnavailable(ACCOUNT_MISSING);
  if (storageFault(thrown)) return new StorageUnavailable();
  if (thrown instanceof URIError) return new InvalidRequest([], 'The path is not validly encoded.');
  switch (statusOf(thrown)) {
    case 400:
      return new InvalidRequest([], 'The request is not valid.');
    case 413:
      return new PayloadTooLarge('allowed');
    case 415:
      return new UnsupportedMediaType();
    default:
      return new DomainError({
        code: 'internal_error',
        status: 500,
        message: 'Something went wrong on our side. The request id finds it in our log.',
      });
  }
}

/** Whether no route took the request. */
function isUnrouted(thrown: unknown): boolean {
  return thrown instanceof HttpException && [404, 405].includes(thrown.getStatus());
}

function statusOf(thrown: unknown): number | undefined {
  if (thrown instanceof HttpException) return thrown.getStatus();
  // Express and its middleware throw plain errors with a status.
  if (thrown instanceof Error && 'status' in thrown && typeof thrown.status === 'number') return thrown.status;
  return undefined;
}
