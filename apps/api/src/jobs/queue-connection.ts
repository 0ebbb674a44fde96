import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { createPostgresBackend, DEFAULT_SCHEMA, runMigrations, setDefaultBackendFactory, type ConnectionOptions } from 'bullmq';
import { Pool } from 'pg';
import { DatabaseClient } from '#database';
import type { Config } from '../runtime/config';

/** Two for BullMQ's statements, one on which its worker listens, and one to spare. */
const POOL_SIZE = 4;
const CONNECT_TIMEOUT_MS = 10_000;

/** The queue's connection: Redis where REDIS_URL is set, else a schema of its own in the service's PostgreSQL. */
@Injectable()
export class QueueConnection implements OnApplicationShutdown {
  private pool: Pool | undefined;

  constructor(private readonly config: Config) {}

  /** The connection for BullMQ. Creates the queue's schema where there is none. @throws where PostgreSQL cannot be reached. */
  async open(): Promise<ConnectionOptions> {
    const { REDIS_URL, DATABASE_URL } = this.config;
    if (REDIS_URL !== undefined) {
      setDefaultBackendFactory();
      return { url: REDIS_URL, connectTimeout: CONNECT_TIMEOUT_MS };
    }
    setDefaultBackendFactory(createPostgresBackend);
    // A pool of ours, because the connections of BullMQ's own end the process when PostgreSQL ends them too early: see DatabaseClient.
    this.pool = new Pool({
      connectionString: DATABASE_URL,
      options: `-c search_path=${DEFAULT_SCHEMA}`,
      max: POOL_SIZE,
      application_name: 'agent-payment-queue',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      Client: DatabaseClient,
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
