import { createPostgresBackend, setDefaultBackendFactory, type ConnectionOptions } from 'bullmq';
import type { Config } from '../runtime/config';

/** Queue tables live beside ours, and out of their way. */
const SCHEMA = 'bullmq';
const POOL_SIZE = 3;
const CONNECT_TIMEOUT_MS = 10_000;

/** Where the queue lives: in Redis where there is one, else in the service's own PostgreSQL. */
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
  // @nestjs/bullmq types the connection as Redis; what reads it is the backend chosen above.
  return postgres as ConnectionOptions;
}
