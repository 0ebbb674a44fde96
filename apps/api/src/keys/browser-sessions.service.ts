import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Clock } from '../runtime/clock';
import type { KeyHolder } from '../http/caller';
import { Unauthorized } from '../http/domain.errors';
import { AuthenticationService } from './authentication.service';
import { EncryptionService } from '../secrets';

/** The cookie that a signed-in browser sends. */
export const SESSION_COOKIE = 'dashboard_session';
/** A header that only a page of this service's origin can send: browsers block it on requests of other origins (CSRF). */
const PAGE_HEADER = 'x-dashboard';

const PURPOSE = 'dashboard-session';
const OWNER = 'cookie';
const SESSION_MS = 12 * 60 * 60_000;

/** The content of the cookie, which is sealed. */
interface Session {
  key_id: string;
  expires_at: number;
}

/** A new session. */
export interface NewSession {
  cookie: string;
  expiresAt: Date;
}

/**
 * Sessions of operators who signed in with a browser. A session is a sealed cookie with the id of the key that started it: every process
 * can read it, none stores it, and it ends with its key. A replaced KEY_ENCRYPTION_KEY ends the sessions that it sealed.
 */
@Injectable()
export class BrowserSessionsService {
  constructor(
    private readonly encryption: EncryptionService,
    private readonly authentication: AuthenticationService,
    private readonly clock: Clock,
  ) {}

  /** Starts a session for an operator key. */
  begin(keyId: string): NewSession {
    const expiresAt = new Date(this.clock.now().getTime() + SESSION_MS);
    const session: Session = { key_id: keyId, expires_at: expiresAt.getTime() };
    return { cookie: this.encryption.seal(PURPOSE, OWNER, Buffer.from(JSON.stringify(session))), expiresAt };
  }

  /** The caller of a request's cookie. Reads its key each time, so that a revocation ends the session at once. @throws Unauthorized */
  async authenticate(request: Request): Promise<{ caller: KeyHolder; expiresAt: Date }> {
    const session = this.read(request);
    const caller = await this.holder(session);
    if (session === undefined || caller === undefined) throw new Unauthorized('The session has ended: sign in again.');
    return { caller, expiresAt: new Date(session.expires_at) };
  }

  /** The key that started a request's session. Undefined where there is no session. */
  identify(request: Request): Promise<KeyHolder | undefined> {
    return this.holder(this.read(request));
  }

  private async holder(session: Session | undefined): Promise<KeyHolder | undefined> {
    const holder = session && (await this.authentication.identifyKey(session.key_id));
    return holder?.type === 'operator' ? holder : undefined;
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
      // Truncated, altered, or sealed under a key that was replaced: there is no session.
      return undefined;
    }
  }
}

/** Whether the dashboard sent the request and a session authenticates it. An Authorization header takes precedence. */
export function isFromPage(request: Request): boolean {
  return request.headers.authorization === undefined && hasPageHeader(request) && cookieOf(request) !== undefined;
}

/** Whether the request has the header that no other origin can make a browser send. */
export function hasPageHeader(request: Request): boolean {
  return request.headers[PAGE_HEADER] === '1' && isOwnOrigin(request);
}

/** Whether the browser reports the same origin, or reports none. */
function isOwnOrigin({ headers }: Request): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin';
}

function cookieOf({ headers }: Request): string | undefined {
  const prefix = `${SESSION_COOKIE}=`;
  const found = (headers.cookie ?? '').split(';').find((pair) => pair.trim().startsWith(prefix));
  return found?.trim().slice(prefix.length);
}
