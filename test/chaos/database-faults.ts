/** Faults of a running PostgreSQL: no connection left, no space left. */
import { Client } from 'pg';
import { query } from '../support/world';

/** Rounds of opening connections: between two of them the service may get one back. */
const ROUNDS = 10;

/** Opens connections until the server refuses more, and closes those of the service, so that it gets none. */
export async function takeAllConnections(url: string): Promise<Client[]> {
  const taken: Client[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (let client = await connection(url); client; client = await connection(url)) taken.push(client);
    const ended = await taken[0]?.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'agent-payment%'`,
    );
    if (ended?.rowCount === 0) break;
  }
  return taken;
}

async function connection(url: string): Promise<Client | undefined> {
  const client = new Client({ connectionString: url, application_name: 'taken' });
  // The server may be killed meanwhile.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch {
    return undefined;
  }
}

const tables = async (url: string): Promise<string[]> =>
  (await query<{ name: string }>(`SELECT format('%I', tablename) AS name FROM pg_tables WHERE schemaname = 'public'`, [], url)).map(
    ({ name }) => name,
  );

/**
 * A full disk, as a client sees it: PostgreSQL answers every write with its error 53100. A disk of limited size
 * would need root.
 */
export const DiskFull = {
  begin: async (url: string): Promise<void> => {
    await query(
      `CREATE OR REPLACE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`,
      [],
      url,
    );
    // One transaction per table: a transaction over all tables would deadlock with the service's statements.
    for (const table of await tables(url)) {
      await query(
        `CREATE OR REPLACE TRIGGER disk_full BEFORE INSERT OR UPDATE OR DELETE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION disk_full()`,
        [],
        url,
      );
    }
  },
  end: async (url: string): Promise<void> => {
    for (const table of await tables(url)) await query(`DROP TRIGGER IF EXISTS disk_full ON ${table}`, [], url);
  },
};
