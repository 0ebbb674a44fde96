/** Other processes as the operating system shows them: whether they run, their command lines, parents and start times. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 20;
const PS_TIMEOUT_MS = 1_000;

/** Whether the process runs. A zombie has ended; a process of another user counts. */
export function isAlive(pid: number): boolean {
  return signalIfAlive(pid, 0) && !/^\d+ \(.*\) Z/s.test(readProc(pid, 'stat') ?? '');
}

/** Waits for the process to end. Returns false if it still runs after `timeoutMs`. */
export async function waitForExit(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (isAlive(pid)) {
    if (Date.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}

/** Sends the signal and waits for the process to end. Returns false if it still runs after `timeoutMs`. */
export function signalAndWait(pid: number, signal: NodeJS.Signals, timeoutMs: number): Promise<boolean> {
  signalIfAlive(pid, signal);
  return waitForExit(pid, timeoutMs);
}

/** The command line that the process was started with. Empty if the process is gone. */
export function commandLine(pid: number): string {
  return readProc(pid, 'cmdline')?.replaceAll('\0', ' ') ?? ps(pid, 'command=');
}

/** The id of the process's parent, 0 if it is unknown. */
export function parentOf(pid: number): number {
  return Number(statField(pid, 4) ?? ps(pid, 'ppid='));
}

/** Distinguishes a process from a later one with the same id. Its form depends on the system; empty if it is unknown. */
export function startTimeOf(pid: number): string {
  return statField(pid, 22) ?? ps(pid, 'lstart=');
}

/** The processes between npm and this one, the parent first: npm itself, or a shell and then npm. */
export function npmAncestors(): number[] {
  const parent = process.ppid;
  return /(^|\/)(ba|da|z|k|a)?sh$/.test(programName(parent)) ? [parent, parentOf(parent)] : [parent];
}

function programName(pid: number): string {
  const stat = readProc(pid, 'stat');
  return stat === undefined ? ps(pid, 'comm=').replace(/^-/, '') : stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
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

/** A field of /proc/<pid>/stat, numbered as in proc(5). The second field, in parentheses, may hold blanks. */
function statField(pid: number, number: number): string | undefined {
  const stat = readProc(pid, 'stat');
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[number - 3];
}

/** Undefined if the process is gone, or the system is not Linux. */
function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}

function ps(pid: number, column: string): string {
  return spawnSync('ps', ['-ww', '-o', column, '-p', String(pid)], { encoding: 'utf8', timeout: PS_TIMEOUT_MS }).stdout?.trim() ?? '';
}
