import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { accessOf, type Access } from '../http/access';
import { callerOf, setCaller, type KeyHolder } from '../http/caller';
import { Forbidden, Unauthorized } from '../http/domain.errors';
import { AuthenticationService } from './authentication.service';
import { BrowserSessionsService, isFromPage } from './browser-sessions.service';
import { RequestLimits } from './request-limits';

/**
 * Authenticates and authorizes every request: operator keys may call every route but those for agent keys alone, agent keys those that allow
 * them, and public routes need no key. The dashboard authenticates by a session instead of a key.
 */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(
    private readonly authentication: AuthenticationService,
    private readonly sessions: BrowserSessionsService,
    private readonly limits: RequestLimits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = accessOf(context);
    if (access === 'public') return true;
    const [request, response] = [context.switchToHttp().getRequest<Request>(), context.switchToHttp().getResponse<Response>()];
    this.limits.countAddress(request);
    const holder = await this.authenticate(request);
    this.limits.countKey(holder.keyId, response);
    requireAccess(holder, access);
    setCaller(request, callerOf(holder, request, response));
    return true;
  }

  /** @throws Unauthorized; RateLimited for an address that has sent too many wrong keys. */
  private async authenticate(request: Request): Promise<KeyHolder> {
    if (isFromPage(request)) return (await this.sessions.authenticate(request)).caller;
    const holder = await this.authentication.identify(request.headers.authorization);
    if (holder) return holder;
    this.limits.countWrongKey(request);
    throw new Unauthorized();
  }
}

/** @throws Forbidden for a kind of key that may not call the route. */
function requireAccess({ type }: KeyHolder, access: Access): void {
  if (type === 'agent' && access === 'operator') throw new Forbidden('An agent key may not do this: an operator key is needed.');
  if (type === 'operator' && access === 'agent-only')
    throw new Forbidden('An operator key may not do this: it may do more than a model should. Use an agent key.');
}
