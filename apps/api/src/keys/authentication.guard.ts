import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { accessOf, type Access } from '../http/access';
import { setCaller, type Caller } from '../http/caller';
import { Forbidden } from '../http/domain.errors';
import { AuthenticationService } from './authentication.service';
import { BrowserSessionsService, isFromPage } from './browser-sessions.service';

/** Lets in who may come in: operator keys everywhere, agent keys where a route allows them, anybody where it is public. The operator's page comes with a session in place of a key. */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(
    private readonly authentication: AuthenticationService,
    private readonly sessions: BrowserSessionsService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = accessOf(context);
    if (access === 'public') return true;
    const request = context.switchToHttp().getRequest<Request>();
    setCaller(request, await this.permitted(request, access));
    return true;
  }

  private async permitted(request: Request, access: Access): Promise<Caller> {
    const caller = isFromPage(request)
      ? (await this.sessions.authenticate(request)).caller
      : await this.authentication.authenticate(request.headers.authorization);
    if (caller.type === 'agent' && access !== 'agent') throw new Forbidden('An agent key may not do this: an operator key is needed.');
    return caller;
  }
}
