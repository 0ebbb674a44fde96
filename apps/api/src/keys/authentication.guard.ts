import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { accessOf, type Access } from '../http/access';
import { callerOf, setCaller, type KeyHolder } from '../http/caller';
import { Forbidden } from '../http/domain.errors';
import { AuthenticationService } from './authentication.service';
import { BrowserSessionsService, isFromPage } from './browser-sessions.service';

/**
 * Authenticates and authorizes every request: operator keys may call every route but those for agent keys alone, agent keys those that allow
 * them, and public routes need no key. The dashboard authenticates by a session instead of a key.
 */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(
    private readonly authentication: AuthenticationService,
    private readonly sessions: BrowserSessionsService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = accessOf(context);
    if (access === 'public') return true;
    const [request, response] = [context.switchToHttp().getRequest<Request>(), context.switchToHttp().getResponse<Response>()];
    setCaller(request, callerOf(await this.authorize(request, access), request, response));
    return true;
  }

  private async authorize(request: Request, access: Access): Promise<KeyHolder> {
    const caller = isFromPage(request)
      ? (await this.sessions.authenticate(request)).caller
      : await this.authentication.authenticate(request.headers.authorization);
    if (caller.type === 'agent' && access === 'operator') throw new Forbidden('An agent key may not do this: an operator key is needed.');
    if (caller.type === 'operator' && access === 'agent-only')
      throw new Forbidden('An operator key may not do this: it may do more than a model should. Use an agent key.');
    return caller;
  }
}
