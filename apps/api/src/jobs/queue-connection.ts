import { createPostgresBackend, setDefaultBackendFactory, type ConnectionOptions } from 'bullmq';
import type { Config } from '../runtime/config';

/** The queue has its own schema in the database of the service. */
const SCHEMA = 'bullmq';
const POOL_SIZE = 3;
const CONNECT_TIMEOUT_MS = 10_000;

/** The connection of the queue: Redis where REDIS_URL is set, else the PostgreSQL of the service. */
export function connectQueue(config: Config): ConnectionOptions {
  if (config.REDIS_URL !== undefined) {
    setDefaultBackendFactory();
    return { url: config.REDIS_URL, connectTimeout: CONNECT_TIMEOUT_MS };
  }
  setDefaultBackendFactory(createPostgresBackend);
  const postgres = {
    connectionString: config.DATABASE_URL,
    schema: SCHEMA,
    migrate: true,
    max: POOL_SIZE,
    application_name: 'agent-payment-queue',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  };
  // @nestjs/bullmq types the connection as one of Redis; the backend chosen above reads it.
  return postgres as ConnectionOptions;
}
