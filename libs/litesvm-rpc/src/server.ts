/** The process of the embedded chain. It is forked with its directory and options, and exits when its parent does. */
import { mkdirSync } from 'node:fs';
import type { Server } from 'node:http';
import { createHttpServer } from './transport/http-server';
import { lockDirectory } from './storage/lock';
import { accountMethods } from './rpc/accounts';
import { blockMethods } from './rpc/blocks';
import { Dispatcher } from './rpc/dispatch';
import { sandboxMethods } from './rpc/sandbox';
import { transactionMethods } from './rpc/transactions';
import { SLOT_MS } from './slots';
import { SocketServer } from './transport/socket-server';
import { Storage, type Program } from './storage/storage';
import { Subscriptions } from './transport/subscriptions';

const HOST = '127.0.0.1';
const PORT_ATTEMPTS = 20;

export interface ServerOptions {
  programs: Program[];
  port?: number;
}

/** The one message of the process to its parent. */
export type ServerMessage = { ready: { rpcUrl: string; wsUrl: string } } | { failed: string };

async function main(): Promise<void> {
  const [directory, text] = process.argv.slice(2);
  if (!directory || !text) throw new Error('The chain server is started by startEmbeddedChain.');
  const options = JSON.parse(text) as ServerOptions;
  mkdirSync(directory, { recursive: true });
  const unlock = await lockDirectory(directory);
  const storage = new Storage({ directory, programs: options.programs, onFailure: die });
  const { ledger } = storage;
  const http = () => createHttpServer(new Dispatcher(ledger, accountMethods, transactionMethods, blockMethods, sandboxMethods));
  const { servers, port } = await listen(http, options.port);
  const sockets = new SocketServer(new Subscriptions(ledger));
  for (const server of servers) sockets.attach(server);
  const ticks = setInterval(() => ledger.tick(), SLOT_MS);

  const stop = () => {
    clearInterval(ticks);
    sockets.close();
    for (const server of servers) server.close().closeAllConnections();
    storage.close();
    unlock();
    process.exit(0);
  };
  process.on('disconnect', stop);
  process.on('SIGTERM', stop);
  process.on('message', (message) => message === 'stop' && stop());
  if (!process.connected) stop();
  notifyParent({ ready: { rpcUrl: `http://${HOST}:${port}`, wsUrl: `ws://${HOST}:${port}` } });
}

/**
 * Binds the port, and the next one if it is free: web3.js uses that for the WebSocket by default. Without a port, searches for
 * a free pair.
 */
async function listen(create: () => Server, wanted: number | undefined): Promise<{ servers: Server[]; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const server = create();
    const port = await bind(server, wanted ?? 0);
    const beside = create();
    try {
      await bind(beside, port + 1);
      return { servers: [server, beside], port };
    } catch {
      if (wanted !== undefined || attempt === PORT_ATTEMPTS) return { servers: [server], port };
      server.close();
    }
  }
}

function bind(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

function notifyParent(message: ServerMessage): void {
  if (process.connected) process.send?.(message);
}

function die(error: unknown): void {
  notifyParent({ failed: error instanceof Error ? error.message : String(error) });
  console.error('The embedded chain stops:', error);
  process.exit(1);
}

// Ctrl-C goes to every process of the terminal. The parent stops this one after the processes that need it.
process.on('SIGINT', () => undefined);
process.on('uncaughtException', die);
process.on('unhandledRejection', die);
main().catch(die);
