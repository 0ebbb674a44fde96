/** Request headers that mean something to a handler, checked like fields of a body. */
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { InvalidRequest } from './domain.errors';
import { codePoints } from './text';

/** Longest idempotency key, in characters; in the header as in the body. */
export const MAX_IDEMPOTENCY_KEY = 128;

const headerOf = (context: ExecutionContext, name: string): string | undefined => context.switchToHttp().getRequest<Request>().get(name);

/** `Idempotency-Key`, or undefined where there is none. */
export const IdempotencyKeyHeader = createParamDecorator((_data: unknown, context: ExecutionContext): string | undefined => {
  const key = headerOf(context, 'Idempotency-Key');
  if (key !== undefined && (key === '' || codePoints(key) > MAX_IDEMPOTENCY_KEY))
    throw InvalidRequest.field('Idempotency-Key', `must have 1 to ${MAX_IDEMPOTENCY_KEY} characters`);
  return key;
});

/** The version that `If-Match` names: `"7"`; null where there is none, or it is `*`. */
export const IfMatchHeader = createParamDecorator((_data: unknown, context: ExecutionContext): bigint | null => {
  const value = headerOf(context, 'If-Match')?.trim();
  if (value === undefined || value === '*') return null;
  const [, , version] = /^(?:W\/)?("?)(\d{1,18})\1$/.exec(value) ?? [];
  if (version === undefined) throw InvalidRequest.field('If-Match', 'must be the ETag of a policy, such as "7"');
  return BigInt(version);
});
