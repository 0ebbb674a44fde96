import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { callerOf, setCaller } from '../../http/caller';
import { BrowserSessionsService } from '../../keys';

/** Authenticates a request by the browser's session alone. @throws Unauthorized */
@Injectable()
export class BrowserSessionGuard implements CanActivate {
  constructor(private readonly sessions: BrowserSessionsService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const { caller } = await this.sessions.authenticate(request);
    setCaller(request, callerOf(caller, request, http.getResponse<Response>()));
    return true;
  }
}
