/**
 * Several prepared statements in one message to PostgreSQL, and so in one transaction: each has its own guard and its own rows, and all
 * share one round trip and one commit.
 *
 * It is a `Submittable`, as pg-cursor is: pg hands it the connection and each answer of the server. Checked against pg 8.23; the
 * integration spec beside it fails when that interface changes.
 */
import { createHash } from 'node:crypto';
import { type Connection, types } from 'pg';
import { prepareValue } from 'pg/lib/utils';

export interface Statement {
  text: string;
  values: readonly unknown[];
}

type Rows = Record<string, unknown>[];

interface Field {
  name: string;
  dataTypeID: number;
}
type Columns = { name: string; parse: (text: string) => unknown }[];

/** The parts of pg's connection that a group uses, as they are. Its types differ. */
interface Wire {
  stream: { cork(): void; uncork(): void };
  parse(statement: { name: string; text: string }): void;
  bind(portal: { statement: string; values: unknown[] }): void;
  describe(what: { type: 'P'; name: string }): void;
  execute(portal: { portal: string; rows: undefined }): void;
  close(what: { type: 'S'; name: string }): void;
  sync(): void;
}

interface Named extends Statement {
  name: string;
  encoded: unknown[];
}

/** The statements that a connection has prepared, by name, with the columns that they return. Another session may see another schema. */
const prepared = new WeakMap<object, Map<string, Columns>>();
const names = new Map<string, string>();

export class StatementGroup {
  /** Set by pg, which also calls it when the server does not answer in time. */
  callback: (error: Error | null | undefined, rows?: Rows[]) => void;
  readonly statements: readonly Named[];
  private readonly results: Rows[] = [];
  private readonly described: Columns[] = [];
  private rows: Rows = [];
  private known = new Map<string, Columns>();

  /** Calls `callback` with the rows of each statement once all are committed, or with the error by which none is. */
  constructor(statements: readonly Statement[], callback: StatementGroup['callback']) {
    this.statements = statements.map(({ text, values }) => ({
      text,
      values,
      name: statementName(text),
      encoded: values.map(prepareValue),
    }));
    this.callback = callback;
  }

  submit(of: Connection): undefined {
    const connection = of as unknown as Wire;
    this.known = prepared.get(connection) ?? new Map<string, Columns>();
    prepared.set(connection, this.known);
    const parsed = new Set<string>();
    connection.stream.cork();
    for (const { name, text, encoded } of this.statements) {
      if (!this.known.has(name) && !parsed.has(name)) {
        // A statement of a group that failed may be prepared or not. Closing an unprepared one is allowed.
        connection.close({ type: 'S', name });
        connection.parse({ name, text });
      }
      connection.bind({ statement: name, values: encoded });
      if (!this.known.has(name)) connection.describe({ type: 'P', name: '' });
      connection.execute({ portal: '', rows: undefined });
      parsed.add(name);
    }
    connection.sync();
    connection.stream.uncork();
    return undefined;
  }

  private get current(): Named | undefined {
    return this.statements[this.results.length];
  }

  handleRowDescription({ fields }: { fields: Field[] }): void {
    this.described[this.results.length] = fields.map(({ name, dataTypeID }) => ({ name, parse: types.getTypeParser(dataTypeID, 'text') }));
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const columns = this.described[this.results.length] ?? this.known.get(this.current?.name ?? '') ?? [];
    const row: Record<string, unknown> = {};
    for (const [index, { name, parse }] of columns.entries()) {
      const text = fields[index];
      row[name] = text === null || text === undefined ? null : parse(text);
    }
    this.rows.push(row);
  }

  handleCommandComplete(): void {
    this.results.push(this.rows);
    this.rows = [];
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete();
  }

  /** One statement failed, and the server rolled back all of them; or the connection was lost. */
  handleError(error: Error): void {
    for (const { name } of this.statements.slice(this.results.length)) this.known.delete(name);
    this.callback(error);
  }

  /** The transaction is committed. */
  handleReadyForQuery(): void {
    this.statements.forEach(({ name }, index) => {
      if (!this.known.has(name)) this.known.set(name, this.described[index] ?? []);
    });
    this.callback(null, this.results);
  }

  handlePortalSuspended(): void {
    this.callback(new Error('a statement of a group returned only some of its rows'));
  }

  handleCopyInResponse(): void {
    this.callback(new Error('a group takes no COPY'));
  }

  handleCopyData(): void {
    this.callback(new Error('a group takes no COPY'));
  }
}

/** The name of a text's prepared statement, the same on every connection. No other statement has a name that begins so. */
export function statementName(text: string): string {
  const known = names.get(text) ?? `shared_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
  names.set(text, known);
  return known;
}
