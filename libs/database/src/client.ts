import { Client, type ClientConfig } from 'pg';

/**
 * One connection to PostgreSQL. It listens to its own errors from the start: an `error` event without a listener ends the process, and
 * a pool has no listener between the moment that a connection is ready and the moment that its user adds one. A connection that breaks
 * also fails the statement that runs on it, which is where the error is handled.
 */
export class DatabaseClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}
