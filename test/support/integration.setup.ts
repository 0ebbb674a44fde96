import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '#embedded-postgres';
import { running } from './running';

/** One PostgreSQL for the integration tier. Each test file creates its own database in it. */
export default async function startDatabase(): Promise<void> {
  const postgres = await startEmbeddedPostgres({ dataDir: mkdtempSync(join(tmpdir(), 'aps-integration-')) });
  process.env.TEST_DATABASE_URL = postgres.url;
  running.push(() => postgres.stop());
}
