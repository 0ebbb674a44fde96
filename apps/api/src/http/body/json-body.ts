import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Injectable, SetMetadata, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { json, type Request, type Response } from 'express';
import type { Observable } from 'rxjs';
import { DomainError, InvalidRequest, NotFound, PayloadTooLarge, UnsupportedMediaType, type Offender } from '../domain.errors';
import { KEY_FIELD } from '../headers';
import { jsonDefect } from './json-defect';
import { countLargeBody } from '../limits/large-bodies';
import { scanJson } from './json-scan';
import { fieldsOf } from '../validation/schemas';
import { textDefect, upperFirst } from '../validation/text';

const MAX_DEPTH = 16;
/** Members and array elements of a body: validation and its messages cost time for each. */
const MAX_ELEMENTS = 2_000;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** Names of members that every object inherits: as keys they could shadow them (prototype pollution). */
const RESERVED = new Set([...Object.getOwnPropertyNames(Object.prototype), 'prototype']);

/** The bounds of a body. */
interface BodyBounds {
  /** The most bytes, as the error names it. */
  name: string;
  bytes: number;
  /** Members whose contents are not counted. */
  uncounted: readonly string[];
}

/** The body that a payment's request carries is the caller's own, and not validated. */
const ORDINARY = bodyReader({ name: '256 KiB', bytes: 256 * 1024, uncounted: ['request.body'] });
/** A list of ids is checked by one expression each. */
const LARGE = bodyReader({ name: '1 MiB', bytes: 1024 * 1024, uncounted: ['account_ids'] });

/** The bodies of callers without a key. */
const SMALL = bodyReader({ name: '4 KiB', bytes: 4 * 1024, uncounted: [] });

const BODY_READER = Symbol('body reader');

/** The route takes a body of 1 MiB, with any number of `account_ids`. */
export const LargeBody = (): MethodDecorator => SetMetadata(BODY_READER, LARGE);

/** The route takes a body of 4 KiB: callers without a key may use it. */
export const SmallBody = (): MethodDecorator => SetMetadata(BODY_READER, SMALL);

/**
 * Reads the body of any method: a JSON object in UTF-8, at most 256 KiB or what the route allows, without reserved names and without text
 * that cannot be stored.
 * Nest runs interceptors after guards and before pipes, so a caller without permission gets 401 or 403 before its body is read.
 */
@Injectable()
export class JsonBodyInterceptor implements NestInterceptor {
  /** @throws TooManyAtOnce, InvalidRequest, PayloadTooLarge, UnsupportedMediaType, and NotFound for a path with a NUL. */
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const read = (Reflect.getMetadata(BODY_READER, context.getHandler()) as BodyReader | undefined) ?? ORDINARY;
    if (hasBody(request)) {
      countLargeBody(request, http.getResponse<Response>());
      await read(request, http.getResponse<Response>());
    }
    if (takesKey(context)) takeKey(request);
    requireSafe(request.query);
    if (/%00/.test(request.path)) throw new NotFound();
    return next.handle();
  }
}

/** Whether the body of a handler has an idempotency key. */
function takesKey(context: ExecutionContext): boolean {
  const types: unknown = Reflect.getMetadata('design:paramtypes', context.getClass().prototype, context.getHandler().name);
  return Array.isArray(types) && types.some((type: unknown) => isClass(type) && fieldsOf(type).has(KEY_FIELD));
}

/** A parameter's decorator may have the name of its type, and has no prototype. */
function isClass(type: unknown): type is { prototype: object } {
  return typeof type === 'function' && typeof type.prototype === 'object' && type.prototype !== null;
}

/** The header `Idempotency-Key` stands for the field of the body. @throws InvalidRequest for two keys, and for one that is not a text. */
function takeKey(request: Request): void {
  const [header, ...more] = request.headersDistinct['idempotency-key'] ?? [];
  if (header === undefined) return;
  const bytes = Buffer.from(header, 'latin1');
  const body = toObject(request.body);
  const inBody = body[KEY_FIELD];
  if (more.length > 0) throw InvalidRequest.field(KEY_FIELD, 'is in several Idempotency-Key headers');
  if (header === '' || !isUtf8(bytes))
    throw InvalidRequest.field(KEY_FIELD, 'must have 1 or more characters in the Idempotency-Key header');
  if (inBody !== undefined && inBody !== bytes.toString())
    throw InvalidRequest.field(KEY_FIELD, 'is not that of the Idempotency-Key header');
  request.body = { ...body, [KEY_FIELD]: bytes.toString() };
  requireSafe(request.body);
}

function toObject(body: unknown): Record<string, unknown> {
  return typeof body === 'object' && body !== null ? { ...body } : {};
}

type BodyReader = (request: Request, response: Response) => Promise<void>;

/** A reader of bodies into `request.body`. It throws InvalidRequest, PayloadTooLarge and UnsupportedMediaType. */
function bodyReader({ name, bytes, uncounted }: BodyBounds): BodyReader {
  const verify = (_request: IncomingMessage, _response: unknown, body: Buffer): void => requireText(body, uncounted);
  const parse = json({ limit: bytes, inflate: false, strict: false, type: () => true, verify });
  return async (request, response) => {
    if (!isJson(request)) throw new UnsupportedMediaType();
    await new Promise<void>((resolve, reject) =>
      parse(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(translate(error, name)))),
    );
    requireObject(request.body);
  };
}

/** Whether a request has a body, or may have one. */
export function hasBody(request: IncomingMessage): boolean {
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

/** Checks what `JSON.parse` would hide or pay for. @throws InvalidRequest */
function requireText(body: Buffer, uncounted: readonly string[]): void {
  if (!isUtf8(body)) throw new InvalidRequest([], 'The body is not valid UTF-8.');
  if (body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK))
    throw new InvalidRequest([], 'The body begins with a byte order mark, which JSON does not have.');
  const { repeated, count } = scanJson(body.toString(), uncounted, MAX_ELEMENTS);
  if (repeated !== undefined) throw InvalidRequest.field(repeated, 'is in the body twice');
  if (count > MAX_ELEMENTS) throw new InvalidRequest([], `The body has more than ${MAX_ELEMENTS} members and array elements.`);
}

/** Translates body-parser's errors by their `type`. */
function translate(error: unknown, limit: string): unknown {
  const type = typeof error === 'object' && error !== null && 'type' in error ? error.type : undefined;
  if (error instanceof DomainError) return error;
  if (type === 'entity.too.large') return new PayloadTooLarge(limit);
  if (type === 'entity.parse.failed') return new InvalidRequest([], notJson(error));
  if (type === 'encoding.unsupported' || type === 'charset.unsupported') return new UnsupportedMediaType();
  if (type === 'request.aborted' || type === 'request.size.invalid') return new InvalidRequest([], 'The body ended early.');
  return error;
}

/** The message for a text that `JSON.parse` refused. */
function notJson(error: unknown): string {
  const text = typeof error === 'object' && error !== null && 'body' in error && typeof error.body === 'string' ? error.body : '';
  const defect = jsonDefect(text);
  return defect === undefined ? 'The body is not valid JSON.' : `The body is not valid JSON. ${upperFirst(defect)}.`;
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
