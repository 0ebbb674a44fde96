/** Other processes as the operating system shows them: whether they live, what they run, whose they are. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 20;

export function isAlive(pid: number): boolean {
  if (!signalIfAlive(pid, 0)) return false;
  return !/^\d+ \(.*\) Z/s.test(readProc(pid, 'stat') ?? ''); // A zombie has stopped; nobody has asked for its end yet.
}

/** Sends the signal, and waits for the process to end. Says whether it did. */
export async function endsAfter(pid: number, signal: NodeJS.Signals | 0, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  signalIfAlive(pid, signal);
  while (isAlive(pid)) {
    if (Date.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}

/** The words with which the process was started. */
export function commandLine(pid: number): string {
  return readProc(pid, 'cmdline')?.replaceAll('\0', ' ') ?? ps(pid, 'command=');
}

export function parentOf(pid: number): number {
  const stat = readProc(pid, 'stat');
  return Number(stat ? stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] : ps(pid, 'ppid='));
}

function signalIfAlive(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ESRCH') return false;
    if (code === 'EPERM' && signal === 0) return true;
    throw error;
  }
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
