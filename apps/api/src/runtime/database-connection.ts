import { SessionsError, migrate, requireSessions } from '#database';
import { StartError } from './config';

/** Migrates the schema. @throws StartError where the URL leads to a pooler without PostgreSQL sessions. */
export async function openDatabase(url: string): Promise<void> {
  try {
    await requireSessions(url);
  } catch (error) {
    throw error instanceof SessionsError ? new StartError(error.message) : error;
  }
  await migrate(url);
}
