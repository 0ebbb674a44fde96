import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { accessOf, type Access } from '../../http/access';
import { callerOf, setCaller, type KeyHolder } from '../../http/caller';
import { Forbidden, Unauthorized } from '../../http/domain.errors';
import { FairShare } from '../../http/limits/fair-share';
import { hasBody } from '../../http/body/json-body';
import { addressOf } from '../../http/limits/rate-limit';
import { addLogIds } from '../../runtime/observability/log-context';
import { AuthenticationService } from './authentication.service';
import { BrowserSessionsService, isFromPage } from './browser-sessions.service';
import { RequestLimits } from './request-limits';

/** The header by which the dashboard sends the operator key again, for what a session may not do by itself. */
const KEY_HEADER = 'x-operator-key';

/**
 * Authenticates and authorizes every request: operator keys may call every route but those for agent keys alone, agent keys those that allow
 * them, and public routes need no key. The dashboard authenticates by a session instead of a key. While the process is busy, requests wait
 * here for their caller's turn, before their bodies are read.
 */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(
    private readonly authentication: AuthenticationService,
    private readonly sessions: BrowserSessionsService,
    private readonly limits: RequestLimits,
    private readonly share: FairShare,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = accessOf(context);
    const [request, response] = [context.switchToHttp().getRequest<Request>(), context.switchToHttp().getResponse<Response>()];
    if (access === 'public') {
      await this.inTurn(addressOf(request), () => this.limits.countAddress(request));
      if (hasBody(request)) response.once('close', await this.share.enter(addressOf(request)));
      return true;
    }
    const began = performance.now();
    const holder = await this.authenticate(request);
    this.share.note(performance.now() - began);
    addLogIds({ operator_id: holder.operatorId, key_id: holder.keyId });
    await this.inTurn(holder.keyId, () => this.limits.countKey(holder.keyId, response));
    // Before access is checked: a forbidden request has its turn too.
    response.once('close', await this.share.enter(holder.keyId));
    requireAccess(holder, access);
    setCaller(request, callerOf(holder, request, response));
    return true;
  }

  /** Counts a request. Refuses one too many in its caller's turn, so that a flood of refusals is slowed down. @throws RateLimited */
  private async inTurn(caller: string, count: () => void): Promise<void> {
    try {
      count();
    } catch (error) {
      await this.share.pace(caller);
      throw error;
    }
  }

  /** Whether a request of a session has an operator key of the same operator too. @throws RateLimited for too many wrong ones. */
  private async hasKey(request: Request, { operatorId }: KeyHolder): Promise<boolean> {
    const key = request.get(KEY_HEADER);
    if (key === undefined) return false;
    const holder = await this.authentication.identify(`Bearer ${key}`, request.ip ?? null);
    if (holder?.type === 'operator' && holder.operatorId === operatorId) return true;
    this.limits.countWrongConfirmation(request);
    return false;
  }

  /** @throws Unauthorized; RateLimited for an address that has sent too many wrong keys; TooManyAtOnce */
  private async authenticate(request: Request): Promise<KeyHolder> {
    if (isFromPage(request)) {
      const session = await this.sessions.find(request);
      if (session) return { ...session.caller, lacksKey: !(await this.hasKey(request, session.caller)) };
    } else {
      const holder = await this.authentication.identify(request.headers.authorization, request.ip ?? null);
      if (holder) return holder;
    }
    await this.share.pace(addressOf(request));
    // Only now: an attacker at the operator's address must not shut its keys out.
    this.limits.countAddress(request);
    this.limits.countWrongKey(request);
    throw new Unauthorized(isFromPage(request) ? undefined : await this.authentication.refusal(request.headers.authorization));
  }
}

/** @throws Forbidden for a kind of key that may not call the route. */
function requireAccess({ type }: KeyHolder, access: Access): void {
  if (type === 'agent' && access === 'operator')
    throw new Forbidden('An agent key may not do this: an operator key is needed. GET /v1/me names the accounts of this key.');
  if (type === 'operator' && access === 'agent-only')
    throw new Forbidden('An operator key may not do this: it may do more than a model should. Use an agent key.');
}
