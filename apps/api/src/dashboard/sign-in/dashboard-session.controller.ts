import { Body, Controller, Delete, Get, HttpCode, Optional, Post, Req, Res, VERSION_NEUTRAL } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { Chain } from '#chain';
import { AuditLog } from '../../audit';
import { Public } from '../../http/access';
import { callerOf, type KeyHolder } from '../../http/caller';
import { IsText, Trimmed } from '../../http/validation/checks';
import { Forbidden, Unauthorized } from '../../http/domain.errors';
import { SmallBody } from '../../http/body/json-body';
import { addressOf } from '../../http/limits/rate-limit';
import { AuthenticationService, BrowserSessionsService, hasPageHeader, OperatorsService, SESSION_COOKIE } from '../../keys';
import type { SignedInView } from '../views';
import { SignInAttempts } from './sign-in-attempts';

class SignInDto {
  /** An operator key. */
  @Trimmed()
  @IsText({ min: 1, max: 200 })
  key: string;
}

/** Signs in with an operator key, and out. The key is not stored: the cookie is a random token, and scripts cannot read it. */
@Public()
@Controller({ path: 'dashboard/session', version: VERSION_NEUTRAL })
export class DashboardSessionController {
  constructor(
    private readonly sessions: BrowserSessionsService,
    private readonly authentication: AuthenticationService,
    private readonly operators: OperatorsService,
    private readonly attempts: SignInAttempts,
    private readonly audit: AuditLog,
    @Optional() private readonly chain?: Chain,
  ) {}

  @Post()
  @HttpCode(201)
  @SmallBody()
  async signIn(@Body() { key }: SignInDto, @Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<SignedInView> {
    requirePage(request);
    const caller = await this.authentication.identify(`Bearer ${key}`, request.ip ?? null);
    // A right key always signs in, whatever others at its address tried.
    if (caller?.type !== 'operator') this.attempts.note(addressOf(request));
    if (!caller) throw new Unauthorized('This is not a key of this service, or it was revoked.');
    if (caller.type !== 'operator') throw new Forbidden('This is an agent key: an operator key is needed.');
    const { cookie, expiresAt } = await this.sessions.begin(caller.keyId);
    await this.audit.record(callerOf(caller, request, response), { action: 'dashboard.signed_in', object: caller.keyId });
    response.cookie(SESSION_COOKIE, cookie, { ...cookieOptions(request), expires: expiresAt });
    return this.view(caller, expiresAt);
  }

  @Get()
  async show(@Req() request: Request): Promise<SignedInView> {
    requirePage(request);
    const { caller, expiresAt } = await this.sessions.authenticate(request);
    return this.view(caller, expiresAt);
  }

  @Delete()
  @HttpCode(204)
  async signOut(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<void> {
    requirePage(request);
    const caller = await this.sessions.end(request);
    if (caller) await this.audit.record(callerOf(caller, request, response), { action: 'dashboard.signed_out', object: caller.keyId });
    response.clearCookie(SESSION_COOKIE, cookieOptions(request));
  }

  private async view({ operatorId, keyId }: KeyHolder, expiresAt: Date): Promise<SignedInView> {
    const [{ id, name }, custody] = await Promise.all([this.operators.find(operatorId), this.operators.custody(operatorId)]);
    return {
      operator: { operator_id: id, name, chain_key_custody: custody },
      key_id: keyId,
      expires_at: expiresAt.toISOString(),
      has_faucet: this.chain?.controlsMint ?? false,
      program_id: this.chain?.identity.programId ?? null,
    };
  }
}

function requirePage(request: Request): void {
  if (!hasPageHeader(request)) throw new Forbidden('Only the page at /dashboard may call this.');
}

/** Behind a proxy that terminates TLS, its header says whether the browser uses https. */
function cookieOptions(request: Request): CookieOptions {
  const isHttps = request.secure || request.get('X-Forwarded-Proto')?.split(',')[0]?.trim() === 'https';
  return { httpOnly: true, sameSite: 'strict', secure: isHttps, path: '/' };
}
