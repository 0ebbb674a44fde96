import { storageFault } from '#database';
import { StorageUnavailable } from './domain.errors';

/**
 * Runs work whose every database error means that nothing was sent to the chain or to a provider, and nothing will be: what is stored
 * and may still be sent is answered otherwise. @throws StorageUnavailable, which says so.
 */
export async function unsentUnlessStored<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageFault(error) ? new StorageUnavailable({ isUnsent: true }) : error;
  }
}
