import type { Request, Response } from 'express';
import { toPage } from './opened-by-browser';

/** The path of a request; `next` for one that goes on. */
function target(originalUrl: string, accept: string | undefined, method = 'GET'): string {
  let sent = '';
  const response = { redirect: (status: number, path: string) => (sent = `${status} ${path}`) } as unknown as Response;
  toPage({ method, originalUrl, headers: { accept } } as Request, response, () => (sent = 'next'));
  return sent;
}

const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8';

test.each([
  ['/dashboard/events', BROWSER, '302 /dashboard/activity'],
  ['/dashboard/session', BROWSER, '302 /dashboard'],
  ['/dashboard/push/key', BROWSER, '302 /dashboard'],
  ['/dashboard/data/overview', BROWSER, '302 /dashboard'],
  ['/dashboard/data/views?list=/keys', BROWSER, '302 /dashboard'],
  ['/dashboard/data/accounts/acct_1?limit=3', BROWSER, '302 /dashboard/accounts/acct_1'],
  ['/dashboard/data/transfers.csv', BROWSER, 'next'],
  ['/dashboard/data/accounts', 'application/json', 'next'],
  ['/dashboard/data/accounts', undefined, 'next'],
  ['/dashboard/events', 'text/event-stream', 'next'],
  ['/dashboard/accounts', BROWSER, 'next'],
])('%s for %s is sent to: %s', (path, accept, expected) => expect(target(path, accept)).toBe(expected));

test('a POST goes on', () => expect(target('/dashboard/session', BROWSER, 'POST')).toBe('next'));
