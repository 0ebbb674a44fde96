import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { migrate } from '#database';
import { startEmbeddedPostgres } from '#embedded-postgres';
import { MIGRATED } from './database';
import { orStopped, running } from './running';

/** One PostgreSQL for the integration tier. Each test file creates its own database in it, empty or as a copy of `MIGRATED`. */
export default orStopped(async () => {
  const postgres = await startEmbeddedPostgres({ dataDir: mkdtempSync(join(tmpdir(), 'aps-integration-')) });
  running.push(() => postgres.stop());
  process.env.TEST_DATABASE_URL = postgres.url;
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`CREATE DATABASE ${MIGRATED}`);
  await client.end();
  await migrate(Object.assign(new URL(postgres.url), { pathname: `/${MIGRATED}` }).href);
});
