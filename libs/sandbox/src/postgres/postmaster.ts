/** A running PostgreSQL server as the operating system sees it: whose it is, and how to end it. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const FAST_STOP_MS = 10_000;
const IMMEDIATE_STOP_MS = 5_000;
const POLL_MS = 20;

/** The setting under which a server's command line names the process that started it. */
export const OWNER_SETTING = 'sandbox.owner_pid';

/** Stops a server that outlived the process which started it. One whose starter lives is left alone: that is an error. */
export async function stopOrphan(directory: string): Promise<void> {
  const pid = recordedPid(directory);
  if (pid === undefined || !isAlive(pid)) return;
  const command = commandLine(pid);
  if (!command.includes(directory)) return; // The number went to another program since.
  const owner = Number(new RegExp(`${OWNER_SETTING}=(\\d+)`).exec(command)?.[1]);
  if (parentOf(pid) === owner) throw new Error(`PostgreSQL under ${directory} is in use by process ${owner}.`);
  await stopServer(pid);
}

/** Ends a server: open transactions are rolled back at once; if that takes too long it ends as in a crash. */
export async function stopServer(pid: number): Promise<void> {
  if (await stopsAfter(pid, 'SIGINT', FAST_STOP_MS)) return;
  if (await stopsAfter(pid, 'SIGQUIT', IMMEDIATE_STOP_MS)) return;
  throw new Error(`The PostgreSQL server ${pid} does not stop.`);
}

async function stopsAfter(pid: number, signal: NodeJS.Signals, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  signalIfAlive(pid, signal);
  while (isAlive(pid)) {
    if (Date.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}

function recordedPid(directory: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined; // No such file: the server stopped in good order, or never ran.
  }
}

function isAlive(pid: number): boolean {
  if (!signalIfAlive(pid, 0)) return false;
  return !/^\d+ \(.*\) Z/s.test(readProc(pid, 'stat') ?? ''); // A zombie has stopped; nobody has asked for its end yet.
}

function signalIfAlive(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    if ((error as NodeJS.ErrnoException).code === 'EPERM' && signal === 0) return true;
    throw error;
  }
}

function commandLine(pid: number): string {
  return readProc(pid, 'cmdline')?.replaceAll('\0', ' ') ?? ps(pid, 'command=');
}

function parentOf(pid: number): number {
  const stat = readProc(pid, 'stat');
  return Number(stat ? stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] : ps(pid, 'ppid='));
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined; // Not Linux, or gone.
  }
}

function ps(pid: number, column: string): string {
  return spawnSync('ps', ['-ww', '-o', column, '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim() ?? '';
}
