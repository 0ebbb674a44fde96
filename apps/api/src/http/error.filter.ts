import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ChainOutcomeUnknownError, ChainUnavailableError } from '#chain';
import { storageFault } from '#database';
import {
  ChainUnavailable,
  DomainError,
  InvalidRequest,
  MethodNotAllowed,
  NotFound,
  PayloadTooLarge,
  StorageUnavailable,
  UnsupportedMediaType,
} from './domain.errors';
import { requestIdOf } from './request-id';

/** Translates every error into the one error body. An unexpected error is logged, and the body shows none of its details. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Error');

  /** `methodsOf` returns the methods that a path takes. */
  constructor(private readonly methodsOf: (path: string) => string[] = () => []) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const error = this.wrongMethod(thrown, request) ?? toDomainError(thrown, request.method);
    if (error.status >= 500) this.log(thrown, error, request, requestIdOf(response));
    if (response.headersSent) return void response.end();
    response.status(error.status).set(error.headers);
    response.json({ error: error.code, message: error.message, request_id: requestIdOf(response), ...error.details });
  }

  /** The router answers 404 also where the path takes other methods. */
  private wrongMethod(thrown: unknown, { method, path }: Request): MethodNotAllowed | undefined {
    if (!(thrown instanceof HttpException) || thrown.getStatus() !== 404 || path.includes('%00')) return undefined;
    const allowed = this.methodsOf(path);
    return allowed.length > 0 ? new MethodNotAllowed(method, allowed) : undefined;
  }

  private log(thrown: unknown, error: DomainError, request: Request, id: string): void {
    const what = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    // An expected failure, such as an unavailable chain or provider, is no bug: it is logged without a stack trace.
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
  if (storageFault(thrown)) return new StorageUnavailable();
  if (thrown instanceof URIError) return new InvalidRequest([], 'The path is not validly encoded.');
  switch (statusOf(thrown)) {
    case 400:
      return new InvalidRequest([], 'The request is not valid.');
    case 404:
    case 405:
      return new NotFound('There is no such route.');
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

function statusOf(thrown: unknown): number | undefined {
  if (thrown instanceof HttpException) return thrown.getStatus();
  // Express and its middleware throw plain errors with a status.
  if (thrown instanceof Error && 'status' in thrown && typeof thrown.status === 'number') return thrown.status;
  return undefined;
}
