import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { findCaller } from './caller';

/** Finds accounts by their handles. */
export abstract class AccountHandles {
  /** The ids of an operator's accounts, by handle. A handle of none is missing. */
  abstract idsOf(operatorId: string, handles: string[]): Promise<ReadonlyMap<string, string>>;
}

const ACCOUNT_PATH = /^\/v1\/accounts\/[^/]+/;
/** Fields of bodies that name accounts of the operator. */
const BODY_FIELDS = ['account_id', 'account_ids', 'from'] as const;
/** A handle ends with a hyphen and a random suffix. An id and an address have none. */
const HANDLE = /^[a-z0-9]+(-[a-z0-9]+)+$/;

type Fields = Record<string, unknown>;

/** Lets a handle stand for an account's id in paths, queries and bodies, so that everything behind reads ids. */
export class HandlesInterceptor implements NestInterceptor {
  /** `handles` is read at the first handle: a service without a chain has no accounts. */
  constructor(private readonly handles: () => AccountHandles) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    const caller = findCaller(request);
    const places = placesOf(request);
    const named = places.flatMap(({ object, name }) => handlesIn(object[name]));
    if (!caller || named.length === 0) return next.handle();
    const ids = await this.handles().idsOf(caller.operatorId, [...new Set(named)]);
    for (const { object, name } of places) object[name] = resolved(object[name], ids);
    return next.handle();
  }
}

/** The members of a request that may name accounts. */
function placesOf(request: Request): { object: Fields; name: string }[] {
  const places: { object: Fields; name: string }[] = [];
  const add = (object: unknown, names: readonly string[]): void => {
    if (isFields(object)) for (const name of names) if (name in object) places.push({ object, name });
  };
  if (ACCOUNT_PATH.test(request.path)) add(request.params, ['id']);
  if (hasHandle(request.query.account_id)) {
    // Express parses the query again at each reading.
    const query = { ...request.query };
    Object.defineProperty(request, 'query', { value: query });
    add(query, ['account_id']);
  }
  add(request.body, BODY_FIELDS);
  return places;
}

function isFields(object: unknown): object is Fields {
  return typeof object === 'object' && object !== null && !Array.isArray(object);
}

function hasHandle(value: unknown): boolean {
  return handlesIn(value).length > 0;
}

function handlesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((each: unknown) => (typeof each === 'string' && HANDLE.test(each) ? [each] : []));
  return typeof value === 'string' && HANDLE.test(value) ? [value] : [];
}

function resolved(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => resolved(each, ids));
  return typeof value === 'string' ? (ids.get(value) ?? value) : value;
}
