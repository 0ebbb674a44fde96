import { DataSource, type DataSourceOptions, type EntityTarget, type ObjectLiteral } from 'typeorm';
import { beginningWith, DatabaseClient } from './client';
import { migrations } from '../migrations';
import { SnakeNaming } from '../entities/snake-naming';

/** How long one statement may run, and how long a transaction may sit idle, before PostgreSQL ends it. */
const STATEMENT_TIMEOUT_MS = 15_000;
/** How long the service waits for a statement whose connection went silent. Longer than PostgreSQL's own limit, whose error is clearer. */
const ANSWER_TIMEOUT_MS = 20_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;
/**
 * The most connections of a process. One thread keeps no more of them busy, since statements of one step share a message, and each
 * connection plans every statement for itself: with 20, PostgreSQL used a twelfth more for a transfer at 32 at a time.
 */
const POOL_SIZE = 10;
/** Settings that each session begins with. */
const SESSION_SETTINGS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
};

export interface DatabaseOptions {
  url: string;
  /** Shown in pg_stat_activity, so that a slow statement has an owner. */
  applicationName: string;
  entities?: (EntityTarget<ObjectLiteral> & NewableFunction)[];
  poolSize?: number;
}

/** The options of this service's connection pool: bounded in size and in time. The schema is the migrations' alone. */
export function dataSourceOptions({ url, applicationName, entities = [], poolSize = POOL_SIZE }: DatabaseOptions): DataSourceOptions {
  return {
    type: 'postgres',
    url,
    applicationName,
    entities,
    poolSize,
    migrations,
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'each',
    synchronize: false,
    namingStrategy: new SnakeNaming(),
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    extra: { ...beginningWith(SESSION_SETTINGS), query_timeout: ANSWER_TIMEOUT_MS, keepAlive: true, Client: DatabaseClient },
  };
}

export function createDataSource(options: DatabaseOptions): DataSource {
  return new DataSource(dataSourceOptions(options));
}
