/** The lock of a chain directory: one process at a time writes it. */
import { join } from 'node:path';
import { acquireFileLock, parentOf, signalAndWait, waitForExit, type LockHolder } from '#processes';

const ORPHAN_EXITS_WITHIN_MS = 5_000;
const KILLED_EXITS_WITHIN_MS = 5_000;

/**
 * Locks the directory for this process and returns a function that unlocks it. Waits for a server whose owner has died:
 * it stops by itself. Throws if the directory's server has a running owner.
 */
export function lockDirectory(directory: string): Promise<() => void> {
  return acquireFileLock(join(directory, 'lock.json'), { onHeld: (holder) => stopOrphan(directory, holder) });
}

async function stopOrphan(directory: string, { pid, parent }: LockHolder): Promise<void> {
  if (parentOf(pid) === parent) throw new Error(`The chain under ${directory} is in use by process ${parent}.`);
  const hasEnded = (await waitForExit(pid, ORPHAN_EXITS_WITHIN_MS)) || (await signalAndWait(pid, 'SIGKILL', KILLED_EXITS_WITHIN_MS));
  if (!hasEnded) throw new Error(`The chain server ${pid} does not stop.`);
}
