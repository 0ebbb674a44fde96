import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Forbidden, Unauthorized } from './domain.errors';
import { requestIdOf } from './requests/request-id';

/** The API key of a request, and what it may access. */
export interface Caller {
  operatorId: string;
  keyId: string;
  type: 'operator' | 'agent';
  /** The accounts of an agent key; null for an operator key, which has all accounts of its operator. */
  accountIds: readonly string[] | null;
  /** The hosts that an agent key may pay; null for all. */
  allowedHosts: readonly string[] | null;
  /** Whether a browser session authenticated the request, and the request does not have the operator key as well. */
  lacksKey?: boolean;
  /** The id of the request, as in its response's `X-Request-Id`. */
  requestId: string;
  /** The address that the request came from; null if it is not known. */
  ip: string | null;
}

/** An authenticated API key: a caller without its request. */
export type KeyHolder = Omit<Caller, 'requestId' | 'ip'>;

/** The key holder as the caller of a request. */
export function callerOf(holder: KeyHolder, request: Request, response: Response): Caller {
  return { ...holder, requestId: requestIdOf(response), ip: request.ip ?? null };
}

const callers = new WeakMap<Request, Caller>();

/** Called by the guard after it has authenticated and authorized the key. */
export function setCaller(request: Request, caller: Caller): void {
  callers.set(request, caller);
}

/** The caller of a request; undefined if it has no valid key. */
export function findCaller(request: Request): Caller | undefined {
  return callers.get(request);
}

/** A handler's parameter with its caller. @throws Unauthorized without one. */
export const Caller = createParamDecorator((_data: unknown, context: ExecutionContext): Caller => {
  const caller = callers.get(context.switchToHttp().getRequest<Request>());
  if (!caller) throw new Unauthorized();
  return caller;
});

/** @throws Forbidden for a browser session that does not show the operator key again: a stolen cookie must not make another key. */
export function requireKey({ lacksKey }: Caller): void {
  if (lacksKey) throw new Forbidden('Enter the operator key once more: this needs it beside the session, in the header X-Operator-Key.');
}

/** Whether the caller's key covers an account. Whether the account belongs to its operator is checked in the database. */
export function covers(caller: Pick<Caller, 'accountIds'>, accountId: string): boolean {
  return caller.accountIds === null || caller.accountIds.includes(accountId);
}

/** @throws Forbidden for an agent key that does not cover the account. */
export function requireCover(caller: Caller, accountId: string): void {
  if (!covers(caller, accountId)) throw new Forbidden('This key may not use this account.');
}
