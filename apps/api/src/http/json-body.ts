import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { json, type Request, type Response } from 'express';
import type { Observable } from 'rxjs';
import { DomainError, InvalidRequest, NotFound, PayloadTooLarge, UnsupportedMediaType, type Offender } from './domain.errors';
import { textDefect } from './text';

const LIMIT_BYTES = 256 * 1024;
const MAX_DEPTH = 16;
/** Names of members that every object inherits: as keys they could shadow them (prototype pollution). */
const RESERVED = new Set([...Object.getOwnPropertyNames(Object.prototype), 'prototype']);

const parse = json({ limit: LIMIT_BYTES, inflate: false, strict: false, type: () => true, verify: requireUtf8 });

/**
 * Reads the body of any method: a JSON object in UTF-8, at most 256 KiB, without reserved names and without text that cannot be stored.
 * Nest runs interceptors after guards and before pipes, so a caller without permission gets 401 or 403 before its body is read.
 */
@Injectable()
export class JsonBodyInterceptor implements NestInterceptor {
  /** @throws InvalidRequest, PayloadTooLarge, UnsupportedMediaType, and NotFound for a path with a NUL. */
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (hasBody(request)) await readBody(request, http.getResponse<Response>());
    requireSafe(request.query);
    if (/%00/.test(request.path)) throw new NotFound();
    return next.handle();
  }
}

async function readBody(request: Request, response: Response): Promise<void> {
  if (!isJson(request)) throw new UnsupportedMediaType();
  await new Promise<void>((resolve, reject) =>
    parse(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(translate(error)))),
  );
  requireObject(request.body);
}

function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
}

function isJson(request: IncomingMessage): boolean {
  const [type, ...parameters] = (request.headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  return (
    type === 'application/json' &&
    parameters.every((parameter) => !parameter.startsWith('charset=') || /^charset="?utf-8"?$/.test(parameter))
  );
}

function requireUtf8(_request: IncomingMessage, _response: unknown, body: Buffer): void {
  if (!isUtf8(body)) throw new InvalidRequest([], 'The body is not valid UTF-8.');
}

/** Translates body-parser's errors by their `type`. */
function translate(error: unknown): unknown {
  const type = typeof error === 'object' && error !== null && 'type' in error ? error.type : undefined;
  if (error instanceof DomainError) return error;
  if (type === 'entity.too.large') return new PayloadTooLarge('256 KiB');
  if (type === 'entity.parse.failed') return new InvalidRequest([], 'The body is not valid JSON.');
  if (type === 'encoding.unsupported' || type === 'charset.unsupported') return new UnsupportedMediaType();
  if (type === 'request.aborted' || type === 'request.size.invalid') return new InvalidRequest([], 'The body ended early.');
  return error;
}

function requireObject(body: unknown): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new InvalidRequest([{ field: '', message: 'must be a JSON object' }], 'The body must be a JSON object.');
  requireSafe(body);
}

function requireSafe(value: object): void {
  const offenders: Offender[] = [];
  inspect(value, '', 0, offenders);
  if (offenders.length > 0) throw new InvalidRequest(offenders);
}

/** Collects the defects of keys and values at every depth: reserved names, text that cannot be stored, deep nesting, infinite numbers. */
function inspect(value: unknown, field: string, depth: number, offenders: Offender[]): void {
  if (typeof value === 'string') {
    const defect = textDefect(value);
    if (defect) offenders.push({ field, message: defect });
  } else if (typeof value === 'number' && !Number.isFinite(value)) {
    offenders.push({ field, message: 'must be a number of ordinary size' });
  } else if (Array.isArray(value)) {
    if (depth >= MAX_DEPTH) return void offenders.push({ field, message: `must not be nested deeper than ${MAX_DEPTH} levels` });
    value.forEach((item, index) => inspect(item, `${field}[${index}]`, depth + 1, offenders));
  } else if (typeof value === 'object' && value !== null) {
    if (depth >= MAX_DEPTH) return void offenders.push({ field, message: `must not be nested deeper than ${MAX_DEPTH} levels` });
    for (const [key, item] of Object.entries(value)) {
      const path = field === '' ? key : `${field}.${key}`;
      const defect = RESERVED.has(key) ? 'is a reserved name' : textDefect(key) && 'must have a well-formed name';
      if (defect) offenders.push({ field: path, message: defect });
      else inspect(item, path, depth + 1, offenders);
    }
  }
}
