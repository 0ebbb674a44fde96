import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { InvalidRequest } from '../domain.errors';
import { UNKNOWN_FIELD } from './validation';

/** For a route without fields: no body, or an empty object. @throws InvalidRequest for a body with fields, which would be ignored. */
export const NoFields = createParamDecorator((_data: unknown, context: ExecutionContext): void => {
  const body: unknown = context.switchToHttp().getRequest<Request>().body;
  const fields = typeof body === 'object' && body !== null ? Object.keys(body) : [];
  if (fields.length > 0) throw new InvalidRequest(fields.map((field) => ({ field, message: UNKNOWN_FIELD })));
});
