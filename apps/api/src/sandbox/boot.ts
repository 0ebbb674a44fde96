import { startEmbeddedPostgres } from '#embedded-postgres';
import { readConfig, readEnvironment } from '../runtime/config-loader';
import { type Config } from '../runtime/config';
import { openDatabase } from '../runtime/connections/database-connection';
import type { Shutdown } from '../runtime/process/shutdown';
import { bootstrapChain } from './chain';
import { lockDataDirectory } from './data-directory';
import { sandboxKeys } from './key-files';

/** The result of `boot`. */
export interface Booted {
  config: Config;
  /** The database's URL for tools, which may be in a container: over TCP, if it was started here. */
  databaseUrl: string;
  /** The parts that the environment names, so that they were not started here. */
  given: { database: boolean; chain: boolean };
}

/**
 * Starts the database and the chain that the environment does not name, and migrates the database. Returns the complete settings. @throws
 * StartError
 */
export async function boot(variables: NodeJS.ProcessEnv, shutdown: Shutdown): Promise<Booted> {
  const environment = readEnvironment(variables);
  const given = { database: environment.DATABASE_URL !== undefined, chain: environment.SOLANA_RPC_URL !== undefined };
  const complete = { ...variables };
  let overTcp: string | undefined;
  // With a database and a chain from the environment, nothing is stored in files.
  if (!given.database || !given.chain) shutdown.add('the data directory', await lockDataDirectory(environment.DATA_DIR));
  // The settings are checked as far as possible before anything is started.
  if (given.chain) readConfig({ ...variables, DATABASE_URL: variables.DATABASE_URL || 'postgres://embedded' });
  else Object.assign(complete, sandboxKeys(environment.DATA_DIR, variables));
  if (!given.database) {
    const postgres = await startEmbeddedPostgres({ dataDir: environment.DATA_DIR });
    shutdown.add('PostgreSQL', () => postgres.stop());
    complete.DATABASE_URL = postgres.socketUrl;
    overTcp = postgres.url;
  }
  if (!given.chain)
    Object.assign(
      complete,
      { FEE_BUDGET_PER_ACCOUNT: variables.FEE_BUDGET_PER_ACCOUNT || 'off', ALLOW_PRIVATE_URLS: variables.ALLOW_PRIVATE_URLS || 'true' },
      await bootstrapChain(complete, shutdown),
    );
  const config = readConfig(complete);
  await openDatabase(config.DATABASE_URL);
  return { config, databaseUrl: overTcp ?? config.DATABASE_URL, given };
}
