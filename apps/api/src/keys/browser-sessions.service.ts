import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Clock } from '../runtime/clock';
import type { Caller } from '../http/caller';
import { Unauthorized } from '../http/domain.errors';
import { AuthenticationService } from './authentication.service';
import { EncryptionService } from '../secrets';

/** The cookie that a signed-in browser sends. */
export const SESSION_COOKIE = 'dashboard_session';
/** What only a page of this service's own origin can send: another origin's request with it is stopped by the browser. */
const PAGE_HEADER = 'x-dashboard';

const PURPOSE = 'dashboard-session';
const OWNER = 'cookie';
const SESSION_MS = 12 * 60 * 60_000;

/** What the cookie says, sealed. */
interface Session {
  key_id: string;
  expires_at: number;
}

/** A session as it begins. */
export interface NewSession {
  cookie: string;
  expiresAt: Date;
}

/**
 * Operators who signed in with a browser. A session is a sealed cookie that names the key it began with: any process reads
 * it, none keeps it, and it ends with its key. The cookies that a replaced KEY_ENCRYPTION_KEY sealed end with that.
 */
@Injectable()
export class BrowserSessionsService {
  constructor(
    private readonly encryption: EncryptionService,
    private readonly authentication: AuthenticationService,
    private readonly clock: Clock,
  ) {}

  /** Begins a session for the holder of an operator key. */
  begin(keyId: string): NewSession {
    const expiresAt = new Date(this.clock.now().getTime() + SESSION_MS);
    const session: Session = { key_id: keyId, expires_at: expiresAt.getTime() };
    return { cookie: this.encryption.seal(PURPOSE, OWNER, Buffer.from(JSON.stringify(session))), expiresAt };
  }

  /** Who a request's cookie belongs to. Its key is asked for each time, so that a revocation ends the session at once. @throws Unauthorized */
  async authenticate(request: Request): Promise<{ caller: Caller; expiresAt: Date }> {
    const session = this.read(request);
    const caller = session && (await this.authentication.identifyKey(session.key_id));
    if (session === undefined || caller?.type !== 'operator') throw new Unauthorized('The session has ended: sign in again.');
    return { caller, expiresAt: new Date(session.expires_at) };
  }

  private read(request: Request): Session | undefined {
    const cookie = isOwnOrigin(request) ? cookieOf(request) : undefined;
    const session = cookie === undefined ? undefined : this.unseal(cookie);
    return session && session.expires_at > this.clock.now().getTime() ? session : undefined;
  }

  private unseal(cookie: string): Session | undefined {
    try {
      return JSON.parse(this.encryption.unseal(PURPOSE, OWNER, cookie).toString()) as Session;
    } catch {
      // Cut short, altered, or sealed under a key that is gone: no session, whichever it is.
      return undefined;
    }
  }
}

/** Whether the operator's page sent it, and a session is to speak for it: never where there is an Authorization header. */
export function isFromPage(request: Request): boolean {
  return request.headers.authorization === undefined && hasPageHeader(request) && cookieOf(request) !== undefined;
}

/** Whether a request carries what no other site can make a browser send. */
export function hasPageHeader(request: Request): boolean {
  return request.headers[PAGE_HEADER] === '1' && isOwnOrigin(request);
}

/** What a browser says of itself, where it says it. */
function isOwnOrigin({ headers }: Request): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin';
}

function cookieOf({ headers }: Request): string | undefined {
  const prefix = `${SESSION_COOKIE}=`;
  const found = (headers.cookie ?? '').split(';').find((pair) => pair.trim().startsWith(prefix));
  return found?.trim().slice(prefix.length);
}
