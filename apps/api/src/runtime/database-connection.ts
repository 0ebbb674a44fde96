import { SessionsError, migrate, requireSessions } from '#database';
import { StartError } from './config';

/** Brings the schema up to date. @throws StartError where the URL leads to no sessions of PostgreSQL. */
export async function openDatabase(url: string): Promise<void> {
  try {
    await requireSessions(url);
  } catch (error) {
    throw error instanceof SessionsError ? new StartError(error.message) : error;
  }
  await migrate(url);
}
