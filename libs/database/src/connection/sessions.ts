/** Whether a database URL leads to sessions of PostgreSQL, or to a pooler that gives each transaction another one. */
import { DatabaseClient } from './client';

const TIMEOUT_MS = 10_000;
/** In a busy pool a transaction may by chance meet the session that it had before. */
const ROUNDS = 5;

const NEEDS =
  'The service needs sessions of its own: for prepared statements, for the lock of a migration and for LISTEN. Name PostgreSQL itself';

/** The URL leads to what the service cannot work with. The message is for the operator. */
export class SessionsError extends Error {}

/** @throws SessionsError behind a pooler in transaction mode. */
export async function requireSessions(url: string): Promise<void> {
  const [first, second] = [newClient(url), newClient(url)];
  try {
    await Promise.all([first.connect(), second.connect()]);
    const session = await backendOf(first);
    for (let round = 0; round < ROUNDS; round++) {
      // Two sessions are two backends, and a session keeps its own. A transaction holds its backend to itself.
      await second.query('BEGIN');
      const other = await backendOf(second);
      const again = other === session ? undefined : await backendOf(first);
      await second.query('COMMIT');
      if (again !== session)
        throw new SessionsError(`DATABASE_URL leads to a connection pooler in transaction mode. ${NEEDS}, or a pool in session mode.`);
    }
  } finally {
    await Promise.all([first.end(), second.end()]);
  }
}

function newClient(url: string): DatabaseClient {
  const timeouts = { connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS };
  return new DatabaseClient({ connectionString: url, application_name: 'start', ...timeouts });
}

async function backendOf(client: DatabaseClient): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid;
}
