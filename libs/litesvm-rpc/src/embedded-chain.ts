/** Starts and stops the embedded chain's process. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import type { ServerMessage, ServerOptions } from './server';

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;

export interface EmbeddedChain {
  rpcUrl: string;
  wsUrl: string;
  pid: number;
  stop(): Promise<void>;
}

/** Starts the embedded chain in a child process. Its state is in `dataDir`/chain. */
export async function startEmbeddedChain(options: {
  dataDir: string;
  programs: { programId: string; file: string }[];
  port?: number;
}): Promise<EmbeddedChain> {
  const programs = options.programs.map(({ programId, file }) => ({ programId, file: resolve(file) }));
  const serverOptions: ServerOptions = { programs, ...(options.port !== undefined && { port: options.port }) };
  const directory = join(resolve(options.dataDir), 'chain');
  const child = fork(entry(), [directory, JSON.stringify(serverOptions)], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const { rpcUrl, wsUrl } = await ready(child);
  return { rpcUrl, wsUrl, pid: child.pid!, stop: () => stop(child) };
}

/** The compiled server: beside this file, or in dist if this file runs from source. */
function entry(): string {
  const beside = join(__dirname, 'server.js');
  if (existsSync(beside)) return beside;
  const root = __dirname.slice(0, __dirname.lastIndexOf(`${sep}libs${sep}`));
  const compiled = join(root, 'dist', 'libs', 'litesvm-rpc', 'src', 'server.js');
  if (existsSync(compiled)) return compiled;
  throw new Error(`The embedded chain is not compiled (${compiled}): run "npm run build".`);
}

function ready(child: ChildProcess): Promise<{ rpcUrl: string; wsUrl: string }> {
  return new Promise((resolveReady, reject) => {
    const fail = (reason: string) => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(new Error(`The embedded chain did not start: ${reason}`));
    };
    const timer = setTimeout(() => fail('it took too long.'), START_TIMEOUT_MS);
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code, signal) => fail(`its process ended (${code ?? signal}).`));
    child.once('message', (message: ServerMessage) => {
      if ('failed' in message) return fail(message.failed);
      clearTimeout(timer);
      child.removeAllListeners();
      resolveReady(message.ready);
    });
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  if (child.connected) child.send('stop');
  await exited;
  clearTimeout(timer);
}
