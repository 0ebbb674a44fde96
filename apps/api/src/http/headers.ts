/** Request headers as parameters of handlers, checked like fields of a body. */
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { InvalidRequest } from './domain.errors';
import { codePoints } from './validation/text';

/** Longest idempotency key in a header or a body, in characters. */
export const MAX_IDEMPOTENCY_KEY = 128;

const headerOf = (context: ExecutionContext, name: string): string | undefined => context.switchToHttp().getRequest<Request>().get(name);

/** The field of a body that the header `Idempotency-Key` stands for. */
export const KEY_FIELD = 'idempotency_key';

/** `Idempotency-Key`, or undefined if there is none. @throws InvalidRequest */
export const IdempotencyKeyHeader = createParamDecorator((_data: unknown, context: ExecutionContext): string | undefined => {
  const key = headerOf(context, 'Idempotency-Key');
  if (key !== undefined && (key === '' || codePoints(key) > MAX_IDEMPOTENCY_KEY))
    throw InvalidRequest.field('Idempotency-Key', `must have 1 to ${MAX_IDEMPOTENCY_KEY} characters`);
  return key;
});

/** The version that `If-Match` names, such as `"7"`; null if there is none, or it is `*`. @throws InvalidRequest */
export const IfMatchHeader = createParamDecorator((_data: unknown, context: ExecutionContext): bigint | null => {
  const value = headerOf(context, 'If-Match')?.trim();
  if (value === undefined || value === '*') return null;
  const [, , version] = /^(?:W\/)?("?)(\d{1,18})\1$/.exec(value) ?? [];
  if (version === undefined) throw InvalidRequest.field('If-Match', 'must be the ETag of a policy, such as "7"');
  return BigInt(version);
});
