import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Request } from 'express';
import { DataSource } from 'typeorm';
import { Clock } from '../../runtime/clock';
import type { KeyHolder } from '../../http/caller';
import { Unauthorized } from '../../http/domain.errors';
import { RowMacs } from '../../secrets';
import { AuthenticationService } from './authentication.service';

/** The cookie that a signed-in browser sends. */
export const SESSION_COOKIE = 'dashboard_session';
/** A header that only a page of this service's origin can send: browsers block it on requests of other origins (CSRF). */
const PAGE_HEADER = 'x-dashboard';

const TOKEN_BYTES = 32;
/** A session ends so long after it began, and so long after its last request. */
const SESSION_MS = 12 * 60 * 60_000;
const IDLE_MS = 30 * 60_000;
/** How often a request moves the time of the last one. */
const SEEN_EVERY_MS = 60_000;

/** Sessions that are listed, and the digits of a session's hash that name it. */
const MAX_LISTED = 100;
const ID_DIGITS = 32;

/** A session of a browser in a list. */
export interface ListedSession {
  id: string;
  keyId: string;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
  isCurrent: boolean;
}

interface Session {
  keyId: string;
  expiresAt: Date;
}

/** A new session. */
export interface NewSession {
  cookie: string;
  expiresAt: Date;
}

/**
 * Sessions of operators who signed in with a browser. The cookie is a random token, of which the database has the hash: no key of the
 * service makes a session, and a copy of the database holds none. A session ends when it is signed out, with its key, 12 hours after it
 * began, and after 30 minutes without a request.
 */
@Injectable()
export class BrowserSessionsService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly authentication: AuthenticationService,
    private readonly clock: Clock,
    private readonly macs: RowMacs,
  ) {}

  /** Starts a session for an operator key, and deletes those that have ended. */
  async begin(keyId: string): Promise<NewSession> {
    const now = this.clock.now();
    const expiresAt = new Date(now.getTime() + SESSION_MS);
    const cookie = randomBytes(TOKEN_BYTES).toString('base64url');
    await this.database.query('DELETE FROM browser_sessions WHERE expires_at <= $1', [now]);
    await this.database.query(
      'INSERT INTO browser_sessions (token_hash, key_id, created_at, last_seen_at, expires_at, mac) VALUES ($1, $2, $3, $3, $4, $5)',
      [hashOf(cookie), keyId, now, expiresAt, this.macs.of('browser-session', [hashOf(cookie), keyId, expiresAt])],
    );
    return { cookie, expiresAt };
  }

  /** The caller of a request's cookie. `isUse`: whether it keeps the session from ending idle. @throws Unauthorized */
  async authenticate(request: Request, { isUse = true } = {}): Promise<{ caller: KeyHolder; expiresAt: Date }> {
    const found = await this.find(request, { isUse });
    if (!found) throw new Unauthorized('The session has ended: sign in again.');
    return found;
  }

  /** The caller of a request's cookie. Reads its key each time, so that a revocation ends the session at once. Undefined without a session. */
  async find(request: Request, { isUse = true } = {}): Promise<{ caller: KeyHolder; expiresAt: Date } | undefined> {
    const cookie = isOwnOrigin(request) ? cookieOf(request) : undefined;
    const session = cookie === undefined ? undefined : await this.read(hashOf(cookie), isUse);
    const caller = session && (await this.authentication.identifyKey(session.keyId, request.ip ?? null));
    return session && caller?.type === 'operator' ? { caller, expiresAt: session.expiresAt } : undefined;
  }

  /** Ends the session of a request, also for copies of its cookie. Returns its caller. Undefined without a session. */
  async end(request: Request): Promise<KeyHolder | undefined> {
    const found = await this.find(request);
    const cookie = cookieOf(request);
    if (cookie !== undefined) await this.database.query('DELETE FROM browser_sessions WHERE token_hash = $1', [hashOf(cookie)]);
    return found?.caller;
  }

  /** An operator's sessions that have not ended, the newest first. `request` has the current one. */
  async list(operatorId: string, request: Request): Promise<ListedSession[]> {
    const now = this.clock.now();
    const cookie = cookieOf(request);
    const rows: { token_hash: string; key_id: string; created_at: Date; last_seen_at: Date; expires_at: Date }[] =
      await this.database.query(
        `SELECT session.* FROM browser_sessions AS session JOIN api_keys AS key ON key.id = session.key_id
       WHERE key.operator_id = $1 AND key.revoked_at IS NULL AND session.expires_at > $2 AND session.last_seen_at > $3
       ORDER BY session.created_at DESC, session.token_hash LIMIT ${MAX_LISTED}`,
        [operatorId, now, new Date(now.getTime() - IDLE_MS)],
      );
    return rows.map(({ token_hash: hash, key_id, created_at, last_seen_at, expires_at }) => ({
      id: hash.slice(0, ID_DIGITS),
      keyId: key_id,
      createdAt: created_at,
      lastSeenAt: last_seen_at,
      expiresAt: expires_at,
      isCurrent: cookie !== undefined && hashOf(cookie) === hash,
    }));
  }

  /** Ends one of an operator's sessions. Returns its key; undefined if there is none. */
  async endListed(operatorId: string, sessionId: string): Promise<string | undefined> {
    const [rows]: [{ key_id: string }[], number] = await this.database.query(
      `DELETE FROM browser_sessions USING api_keys
       WHERE starts_with(token_hash, $2) AND key_id = api_keys.id AND operator_id = $1 RETURNING key_id`,
      [operatorId, sessionId],
    );
    return rows[0]?.key_id;
  }

  private async read(hash: string, isUse: boolean): Promise<Session | undefined> {
    const now = this.clock.now();
    const [row]: { key_id: string; last_seen_at: Date; expires_at: Date; mac: Buffer }[] = await this.database.query(
      'SELECT key_id, last_seen_at, expires_at, mac FROM browser_sessions WHERE token_hash = $1 AND expires_at > $2 AND last_seen_at > $3',
      [hash, now, new Date(now.getTime() - IDLE_MS)],
    );
    if (!row || !this.macs.isGenuine('browser-session', [hash, row.key_id, row.expires_at], row.mac)) return undefined;
    if (isUse && now.getTime() - row.last_seen_at.getTime() > SEEN_EVERY_MS)
      await this.database.query('UPDATE browser_sessions SET last_seen_at = $2 WHERE token_hash = $1', [hash, now]);
    return { keyId: row.key_id, expiresAt: row.expires_at };
  }
}

/** The token has 256 random bits, so that a plain hash keeps it secret. */
function hashOf(cookie: string): string {
  return createHash('sha256').update(cookie).digest('hex');
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
