import { SessionsError, migrate, requireSessions } from '#database';
import { StartError } from '../config-loader';
import { messageOf } from '../observability/message-of';

/** Migrates the schema. @throws StartError if no PostgreSQL answers at the URL, and for a pooler without PostgreSQL sessions. */
export async function openDatabase(url: string): Promise<void> {
  try {
    await requireSessions(url);
  } catch (error) {
    throw new StartError(
      error instanceof SessionsError ? error.message : `DATABASE_URL: ${placeOf(url)} cannot be used: ${reasonOf(error)}`,
    );
  }
  await migrate(url);
}

/** The host, port and name of the database, without its password. */
function placeOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `the database ${pathname.slice(1)} at ${decodeURIComponent(host)}`;
}

/** A host with several addresses fails with an error for each, and no message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return messageOf(error);
}
