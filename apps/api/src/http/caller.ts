import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { Forbidden, Unauthorized } from './domain.errors';

/** Who is calling: the key, and what it may touch. */
export interface Caller {
  operatorId: string;
  keyId: string;
  type: 'operator' | 'agent';
  /** The accounts of an agent key; null for an operator key, which has all of its operator's. */
  accountIds: readonly string[] | null;
}

const callers = new WeakMap<Request, Caller>();

/** Set by the guard, once the key is known and allowed. */
export function setCaller(request: Request, caller: Caller): void {
  callers.set(request, caller);
}

/** Gives a handler its caller. */
export const Caller = createParamDecorator((_data: unknown, context: ExecutionContext): Caller => {
  const caller = callers.get(context.switchToHttp().getRequest<Request>());
  if (!caller) throw new Unauthorized();
  return caller;
});

/** Whether the caller's key covers an account. Whether the account is its operator's, the database says. */
export function covers(caller: Caller, accountId: string): boolean {
  return caller.accountIds === null || caller.accountIds.includes(accountId);
}

/** Refuses an agent key the use of another account. */
export function requireCover(caller: Caller, accountId: string): void {
  if (!covers(caller, accountId)) throw new Forbidden('This key may not use this account.');
}
