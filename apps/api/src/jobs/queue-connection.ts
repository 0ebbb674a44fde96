import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { createPostgresBackend, DEFAULT_SCHEMA, runMigrations, setDefaultBackendFactory, type ConnectionOptions } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { beginningWith, PreparingClient } from '#database';
import { StartError } from '../runtime/config-loader';
import type { Config } from '../runtime/config';
import { messageOf } from '../runtime/observability/message-of';

/** Two for BullMQ's statements, one on which its worker listens, and one to spare. */
const POOL_SIZE = 4;
const CONNECT_TIMEOUT_MS = 10_000;

/** The queue's connection: Redis if REDIS_URL is set, else a schema of its own in the service's PostgreSQL. */
@Injectable()
export class QueueConnection implements OnApplicationShutdown {
  private pool: Pool | undefined;

  constructor(private readonly config: Config) {}

  /** The connection for BullMQ. Creates the queue's schema if there is none. @throws if PostgreSQL cannot be reached. */
  async open(): Promise<ConnectionOptions> {
    const { REDIS_URL, DATABASE_URL } = this.config;
    if (REDIS_URL !== undefined) {
      setDefaultBackendFactory();
      return { url: REDIS_URL, connectTimeout: CONNECT_TIMEOUT_MS };
    }
    setDefaultBackendFactory(createPostgresBackend);
    // A pool of ours, because the connections of BullMQ's own end the process when PostgreSQL ends them too early: see DatabaseClient. It runs
    // some thirty statements a second, of a dozen texts.
    this.pool = new Pool({
      connectionString: DATABASE_URL,
      max: POOL_SIZE,
      application_name: 'agent-payment-queue',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      Client: PreparingClient,
      ...beginningWith({ search_path: DEFAULT_SCHEMA }),
    });
    const client = await this.pool.connect();
    try {
      await runMigrations(client, DEFAULT_SCHEMA);
    } finally {
      client.release();
    }
    // @nestjs/bullmq types the connection as one of Redis; the backend chosen above reads it.
    return this.pool as unknown as ConnectionOptions;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool?.end();
  }
}

/**
 * Connects once to Redis, if the queue is there. BullMQ waits for Redis without an end, so that a wrong URL would never be noticed.
 * @throws StartError
 */
export async function requireQueue({ REDIS_URL }: Config): Promise<void> {
  if (REDIS_URL === undefined) return;
  const redis = new Redis(REDIS_URL, { lazyConnect: true, connectTimeout: CONNECT_TIMEOUT_MS, retryStrategy: () => null });
  let reason: string | undefined;
  redis.on('error', (error) => void (reason = error.message));
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    const { host, port } = redis.options;
    throw new StartError(`REDIS_URL: Redis at ${host}:${port} cannot be used: ${reason ?? messageOf(error)}`);
  } finally {
    // Of a connection that has ended it would wait two seconds for the end.
    if (redis.status !== 'end') redis.disconnect();
  }
}
