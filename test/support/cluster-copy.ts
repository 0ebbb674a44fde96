/** A PostgreSQL cluster with all migrations, which services under test start on: `initdb` and the migrations take seconds each time. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { running } from './running';

/** A database of the copied cluster with all migrations and no rows: a template for further databases. */
export const MIGRATED = 'migrated';

/** Creates the cluster, for `copyCluster` in every process of the tests. */
export async function prepareCluster(): Promise<void> {
  // Not above: the tests themselves need neither.
  const [{ migrate }, { startEmbeddedPostgres }] = [await import('#database'), await import('#embedded-postgres')];
  const dataDir = mkdtempSync(join(tmpdir(), 'aps-cluster-'));
  running.push(async () => rmSync(dataDir, { recursive: true, force: true }));
  const postgres = await startEmbeddedPostgres({ dataDir });
  await migrate(postgres.url);
  const client = new Client({ connectionString: Object.assign(new URL(postgres.url), { pathname: '/postgres' }).href });
  await client.connect();
  await client.query(`CREATE DATABASE ${MIGRATED} TEMPLATE ${new URL(postgres.url).pathname.slice(1)}`);
  await client.end();
  await postgres.stop();
  process.env.TEST_CLUSTER = dataDir;
}

/** Copies the cluster into a service's data directory, with its owner, who may be another than this process. */
export async function copyCluster(dataDir: string): Promise<void> {
  const cluster = process.env.TEST_CLUSTER;
  if (cluster === undefined) throw new Error('The end-to-end tier creates the cluster that this test needs: npm run test:e2e.');
  await promisify(execFile)('cp', ['-a', join(cluster, 'postgres'), join(cluster, 'postgres.password'), dataDir]);
}
