import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from '../runtime/config';
import { isAlive } from '../runtime/process-table';
import { readFileIfAny } from './private-file';

/** How long a start waits for an instance before it, which may be just stopping. */
const WAIT_MS = 15_000;
const POLL_MS = 100;

interface Holder {
  pid: number;
  /** Tells our process from a later one that was given the same number. */
  began: string;
  id: string;
}

/** Takes the data directory for this process alone; two databases over the same files would destroy them. Returns how to give it back. */
export async function takeDataDirectory(dataDir: string, { waitMs = WAIT_MS } = {}): Promise<() => Promise<void>> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = join(dataDir, 'lock');
  const mine: Holder = { pid: process.pid, began: beginOf(process.pid), id: randomUUID() };
  const deadline = Date.now() + waitMs;
  while (!take(lock, mine)) {
    const holder = holderOf(lock);
    if (holder && lives(holder)) {
      if (Date.now() > deadline)
        throw new StartError(
          `Another instance (process ${holder.pid}) is running on ${resolve(dataDir)}: stop it, or set DATA_DIR to another directory.`,
        );
      await delay(POLL_MS);
    } else removeIfStill(lock, holder);
  }
  return async () => removeIfStill(lock, mine);
}

/** Whether the lock is ours now. A link is made whole or not at all, so no lock is ever seen half written. */
function take(lock: string, mine: Holder): boolean {
  const draft = `${lock}.${mine.id}`;
  writeFileSync(draft, JSON.stringify(mine), { mode: 0o600 });
  try {
    linkSync(draft, lock);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Removes the lock of a holder that is gone. Another starter may have done so and taken it since: then it stays. */
function removeIfStill(lock: string, holder: Holder | undefined): void {
  if (holderOf(lock)?.id === holder?.id) rmSync(lock, { force: true });
}

function holderOf(lock: string): Holder | undefined {
  const text = readFileIfAny(lock);
  if (text === undefined) return undefined;
  try {
    const { pid, began, id }: Partial<Holder> = JSON.parse(text);
    return typeof pid === 'number' && typeof began === 'string' && typeof id === 'string' ? { pid, began, id } : undefined;
  } catch {
    // Not written by us, or damaged: nobody's.
    return undefined;
  }
}

function lives({ pid, began }: Holder): boolean {
  return isAlive(pid) && beginOf(pid) === began;
}

/** When a process began, where the system tells: on Linux. Elsewhere the number alone has to do. */
function beginOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold blanks; the start is the 20th field after it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
