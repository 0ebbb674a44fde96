import { storageFault } from '#database';
import { StorageUnavailable } from '../domain.errors';

/**
 * Runs work in which a database error means that nothing was sent to the chain or to a provider, and nothing will be. Work on a row that
 * is stored handles its database errors itself. @throws StorageUnavailable, whose message says that nothing was sent.
 */
export async function unsentUnlessStored<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageFault(error) ? new StorageUnavailable({ isUnsent: true }) : error;
  }
}
