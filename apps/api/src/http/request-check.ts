import type { ArgumentMetadata, ExecutionContext, PipeTransform } from '@nestjs/common';
import { CUSTOM_ROUTE_ARGS_METADATA, ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import type { Request } from 'express';
import { DomainError } from './domain.errors';
import { validationPipe } from './validation';

const pipe = validationPipe();

/**
 * The contract's order of answers is 400, then 401 and 403, then 404; but Nest runs guards before pipes. So the guard, when
 * it is about to refuse, first asks here whether the request is invalid anyway. Nothing past the guard ever runs without
 * permission, and a request that is permitted is validated once, by Nest.
 */
export async function invalidity(context: ExecutionContext): Promise<DomainError | undefined> {
  const prototype: object = context.getClass().prototype;
  const handler = context.getHandler();
  const types: unknown[] = Reflect.getMetadata('design:paramtypes', prototype, handler.name) ?? [];
  const parameters: Record<string, Parameter> = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), handler.name) ?? {};
  for (const [key, parameter] of Object.entries(parameters)) {
    const refusal = await refusalOf(() => check(key, parameter, types[parameter.index], context));
    if (refusal?.status === 400) return refusal;
  }
  return undefined;
}

interface Parameter {
  index: number;
  data: unknown;
  pipes: (PipeTransform | (new () => PipeTransform))[];
  factory?: (data: unknown, context: ExecutionContext) => unknown;
}

const SOURCES: Partial<Record<number, { type: ArgumentMetadata['type']; of: (request: Request) => unknown }>> = {
  [RouteParamtypes.BODY]: { type: 'body', of: (request) => request.body },
  [RouteParamtypes.QUERY]: { type: 'query', of: (request) => request.query },
  [RouteParamtypes.PARAM]: { type: 'param', of: (request) => request.params },
};

/** Runs what Nest would run for one parameter of the handler. */
async function check(key: string, parameter: Parameter, metatype: unknown, context: ExecutionContext): Promise<void> {
  if (key.includes(CUSTOM_ROUTE_ARGS_METADATA)) return void (await parameter.factory?.(parameter.data, context));
  const source = SOURCES[Number(key.split(':')[0])];
  if (!source) return;
  const name = typeof parameter.data === 'string' ? parameter.data : undefined;
  const whole = source.of(context.switchToHttp().getRequest<Request>());
  let value: unknown = name === undefined || typeof whole !== 'object' || whole === null ? whole : Reflect.get(whole, name);
  const metadata: ArgumentMetadata = { type: source.type, data: name, metatype: isClass(metatype) ? metatype : undefined };
  for (const each of [pipe, ...parameter.pipes]) value = await (typeof each === 'function' ? new each() : each).transform(value, metadata);
}

function isClass(metatype: unknown): metatype is new () => object {
  return typeof metatype === 'function';
}

async function refusalOf(work: () => Promise<void>): Promise<DomainError | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}
