/** A lock file, held by one process at a time. A lock whose process has ended is free. */
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, startTimeOf } from './process-table';

const POLL_MS = 100;

/** The content of a lock file. */
export interface LockHolder {
  pid: number;
  /** The parent at the time of locking; 0 if it is not recorded. */
  parent: number;
  /** The process's start time, which distinguishes it from a later process with the same id. Empty if it is unknown. */
  began: string;
  /** Of this one acquisition. */
  id: string;
}

/** A running process holds the lock. */
export class LockHeldError extends Error {
  constructor(
    readonly file: string,
    readonly holder: LockHolder,
  ) {
    super(`Process ${holder.pid} holds ${file}.`);
  }
}

/**
 * Takes the lock and returns a function that releases it. The file's directory must exist. While a running process holds
 * the lock, waits for at most `waitMs` and then throws `LockHeldError`; or calls `onHeld`, which ends that process or throws.
 */
export async function acquireFileLock(
  file: string,
  { waitMs = 0, onHeld }: { waitMs?: number; onHeld?: (holder: LockHolder) => Promise<void> } = {},
): Promise<() => void> {
  const mine: LockHolder = { pid: process.pid, parent: process.ppid, began: startTimeOf(process.pid), id: randomUUID() };
  const deadline = Date.now() + waitMs;
  while (!create(file, mine)) {
    const holder = readHolder(file);
    if (holder === undefined || !isRunning(holder)) removeIfHeldBy(file, holder);
    else if (onHeld) await onHeld(holder);
    else if (Date.now() >= deadline) throw new LockHeldError(file, holder);
    else await delay(POLL_MS);
  }
  return () => removeIfHeldBy(file, mine);
}

/** Whether this call created the file. A link appears whole or not at all, so no lock is ever read half written. */
function create(file: string, mine: LockHolder): boolean {
  const draft = `${file}.${mine.id}`;
  writeFileSync(draft, JSON.stringify(mine), { mode: 0o600 });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Leaves the file alone if another process has replaced it since. */
function removeIfHeldBy(file: string, holder: LockHolder | undefined): void {
  if (readHolder(file)?.id === holder?.id) rmSync(file, { force: true });
}

/** Undefined if there is no lock, or the file is damaged or of another format. */
function readHolder(file: string): LockHolder | undefined {
  try {
    const { pid, parent = 0, began, id } = JSON.parse(readFileSync(file, 'utf8')) as Partial<LockHolder>;
    return typeof pid === 'number' && typeof began === 'string' && typeof id === 'string' ? { pid, parent, began, id } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function isRunning({ pid, began }: LockHolder): boolean {
  return isAlive(pid) && (began === '' || startTimeOf(pid) === began);
}
