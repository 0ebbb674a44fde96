import type { Server } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { StartError, type Config } from '../config';

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

/** Takes no more requests, and waits for those that run, so many milliseconds at the most. */
export async function drain(server: Server, { withinMs }: { withinMs: number }): Promise<void> {
  if (!server.listening) return;
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), withinMs);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearInterval(idle);
  clearTimeout(deadline);
}
