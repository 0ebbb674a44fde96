import type { NextFunction, Request, Response } from 'express';

const DATA = /^\/dashboard\/(?:data\/(.*)|push\/.*|events|session)$/;
/** The data that has a page of its path; that of the others is on the overview. */
const WITH_PAGE = /^(?:accounts|approvals|payments|webhooks)(?:\/|$)/;

/** The page of the stream of events, which has this path itself. */
const EVENTS = { data: '/dashboard/events', page: '/dashboard/activity' };

/** Whether a browser opens an address as a page. A page's own requests take everything, or data. */
export function isOpenedByBrowser({ method, headers }: Request): boolean {
  return method === 'GET' && (headers.accept ?? '').includes('text/html');
}

/** Sends a browser that opens an address of the page's data to the page of it. A file is downloaded. */
export function toPage(request: Request, response: Response, next: NextFunction): void {
  const [found, path = ''] = DATA.exec(request.originalUrl.split('?')[0] ?? '') ?? [];
  if (found === undefined || path.endsWith('.csv') || !isOpenedByBrowser(request)) return next();
  if (found === EVENTS.data) return response.redirect(302, EVENTS.page);
  response.redirect(302, WITH_PAGE.test(path) ? `/dashboard/${path}` : '/dashboard');
}
