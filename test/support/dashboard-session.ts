/** Requests as the dashboard's page sends them, with the cookie of a browser's session. */
import type supertest from 'supertest';
import type { TestApp } from './app';

/** The cookie that a response sets. */
export const cookieIn = (response: supertest.Response): string => String(response.headers['set-cookie']).split(';')[0] ?? '';

export class DashboardSession {
  constructor(private readonly app: () => TestApp) {}

  /** A request with the page's header, and with a session's cookie if one is given. */
  readonly fromPage = (method: 'get' | 'post' | 'delete', path: string, cookie?: string): supertest.Test => {
    const request = this.app().send(method, path, null).set('X-Dashboard', '1');
    return cookie === undefined ? request : request.set('Cookie', cookie);
  };

  /** Signs in with an operator key. Returns the session's cookie. */
  readonly signIn = async (key = this.app().operatorKey): Promise<string> =>
    cookieIn(await this.fromPage('post', '/dashboard/session').send({ key }).expect(201));
}
