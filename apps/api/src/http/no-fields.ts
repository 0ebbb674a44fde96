import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { InvalidRequest } from './domain.errors';

/** For a route that takes no fields: no body, or an empty object. A field that somebody thought would count is refused. */
export const NoFields = createParamDecorator((_data: unknown, context: ExecutionContext): void => {
  const body: unknown = context.switchToHttp().getRequest<Request>().body;
  const fields = typeof body === 'object' && body !== null ? Object.keys(body) : [];
  if (fields.length > 0) throw new InvalidRequest(fields.map((field) => ({ field, message: 'is not a known field' })));
});
