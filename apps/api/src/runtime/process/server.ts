import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { StartError } from '../config-loader';
import { Config } from '../config';
import { Draining } from './draining';

/** How often a stopping server closes connections that have become idle. */
const CLOSE_IDLE_EVERY_MS = 50;

/** Listens where the settings say. Returns the URL for clients on this machine. @throws StartError if it cannot listen. */
export async function listen(app: NestExpressApplication, { PORT, HOST }: Config): Promise<string> {
  try {
    await app.listen(PORT, HOST);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') throw new StartError(`Port ${PORT} is in use: stop what listens there, or set PORT to another.`);
    if (code === 'EACCES') throw new StartError(`Port ${PORT} may not be used by this user: set PORT to one above 1023.`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') throw new StartError(`HOST is no address of this machine.`);
    throw error;
  }
  return urlOf(app);
}

/** The URL of a listening server for clients on this machine. */
export function urlOf(app: NestExpressApplication): string {
  const { HOST, PORT } = app.get(Config);
  const address: AddressInfo | string | null = app.getHttpServer().address();
  const port = typeof address === 'object' && address !== null ? address.port : PORT;
  const everywhere = HOST === '0.0.0.0' || HOST === '::';
  return `http://${everywhere ? '127.0.0.1' : HOST.includes(':') ? `[${HOST}]` : HOST}:${port}`;
}

/**
 * Takes the server out of its load balancer. For `delayMs` milliseconds it reports that it is not ready and asks clients to close their
 * connections. Then it closes its port and waits for running requests, at most `withinMs` milliseconds.
 */
export async function drain(app: NestExpressApplication, { delayMs, withinMs }: { delayMs: number; withinMs: number }): Promise<void> {
  const server: Server = app.getHttpServer();
  if (!server.listening) return;
  app.get(Draining).begin();
  await pause(delayMs);
  const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), withinMs);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearInterval(idle);
  clearTimeout(deadline);
}
