import { Client, type ClientBase, type ClientConfig } from 'pg';
import { observed } from '../statements/observed';
import { statementName } from '../statements/statement-group';

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

const send = Client.prototype.query as (...args: unknown[]) => unknown;

/** Each statement that returns a promise is observed: all but a group, which is observed as a whole, and those of the pool itself. */
DatabaseClient.prototype.query = function (this: DatabaseClient, ...args: unknown[]): unknown {
  const text = textOf(args[0]);
  if (text === undefined || typeof args.at(-1) === 'function') return send.apply(this, args);
  return observed(text, () => send.apply(this, args) as Promise<unknown>);
} as Client['query'];

/**
 * A connection that prepares every statement with values, so that PostgreSQL parses it once and not at each call. For callers that know
 * nothing of prepared statements and send a few texts again and again.
 */
export class PreparingClient extends DatabaseClient {}

PreparingClient.prototype.query = function (this: PreparingClient, ...args: unknown[]): unknown {
  const [text, values, ...others] = args;
  const isPreparable = typeof text === 'string' && Array.isArray(values);
  const given = isPreparable ? [{ name: statementName(text), text, values }, ...others] : args;
  return (DatabaseClient.prototype.query as (...args: unknown[]) => unknown).apply(this, given);
} as Client['query'];

/** The text of a statement; undefined for a `Submittable`. */
function textOf(statement: unknown): string | undefined {
  if (typeof statement === 'string') return statement;
  if (typeof statement !== 'object' || statement === null || 'submit' in statement) return undefined;
  return 'text' in statement && typeof statement.text === 'string' ? statement.text : undefined;
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
