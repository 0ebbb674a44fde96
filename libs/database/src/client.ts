import { Client, type ClientBase, type ClientConfig } from 'pg';

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

/**
 * Pool options by which each session begins with these settings. They are statements, because PgBouncer refuses all but a few settings in
 * the message that opens a connection.
 */
export function beginningWith(settings: Record<string, string | number>): { onConnect: (client: ClientBase) => Promise<void> } {
  const statement = Object.entries(settings)
    .map(([name, value]) => `SET ${name} = ${value}`)
    .join('; ');
  return { onConnect: async (client) => void (await client.query(statement)) };
}
