import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { acquireFileLock, LockHeldError } from '#processes';
import { StartError } from '../runtime/config-loader';

/** How long a start waits for another instance, which may be stopping. */
const WAIT_MS = 15_000;

/**
 * Locks the data directory for this process, because two databases on the same files would destroy them. Returns a function that unlocks
 * it. @throws StartError if another instance holds the lock.
 */
export async function lockDataDirectory(dataDir: string, { waitMs = WAIT_MS } = {}): Promise<() => Promise<void>> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  try {
    const release = await acquireFileLock(join(dataDir, 'lock'), { waitMs });
    return async () => release();
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw error;
    throw new StartError(
      `Another instance (process ${error.holder.pid}) is running on ${resolve(dataDir)}: stop it, or set DATA_DIR to another directory.`,
    );
  }
}
