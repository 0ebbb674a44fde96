/** Faults of a running PostgreSQL: no connection left, no space left. */
import { Client } from 'pg';
import { query } from '../world';

/** Rounds of taking connections: between two of them the service may win one back. */
const ROUNDS = 10;

/** Opens connections until the server refuses, and ends those of the service, so that it gets none. */
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
  // Its server may be killed while it stands.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch {
    return undefined;
  }
}

/**
 * A full disk, as far as a client sees it: PostgreSQL itself answers every write with its own error 53100. A disk of limited size
 * needs root.
 */
export const DiskFull = {
  begin: async (url: string): Promise<void> => {
    await query(
      `CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`,
      [],
      url,
    );
    await query(
      `DO $$ DECLARE name text; BEGIN
         FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
           EXECUTE format('CREATE TRIGGER disk_full BEFORE INSERT OR UPDATE OR DELETE ON %I FOR EACH STATEMENT EXECUTE FUNCTION disk_full()', name);
         END LOOP; END $$`,
      [],
      url,
    );
  },
  end: async (url: string): Promise<void> => void (await query('DROP FUNCTION IF EXISTS disk_full() CASCADE', [], url)),
};
