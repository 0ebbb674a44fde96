import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { StartError, type Config } from './config';
import { Draining } from './draining';

/** How often a stopping server lets go of connections that have become idle. */
const IDLE_SWEEP_MS = 50;

/** Listens where the settings say, and returns the address for people on this machine. */
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
  const address = app.getHttpServer().address();
  const port = typeof address === 'object' && address !== null ? address.port : PORT;
  const everywhere = HOST === '0.0.0.0' || HOST === '::';
  return `http://${everywhere ? '127.0.0.1' : HOST.includes(':') ? `[${HOST}]` : HOST}:${port}`;
}

/**
 * Takes the server out of its balancer: first it says that it is not ready and asks clients to close their connections, then it
 * closes its port and waits for the requests that run, at most `withinMs` milliseconds.
 */
export async function drain(app: NestExpressApplication, { delayMs, withinMs }: { delayMs: number; withinMs: number }): Promise<void> {
  const server: Server = app.getHttpServer();
  if (!server.listening) return;
  app.get(Draining).begin();
  await pause(delayMs);
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), withinMs);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearInterval(idle);
  clearTimeout(deadline);
}
