/** The buffers that each statement of the service reads, by `EXPLAIN (ANALYZE, BUFFERS)` of the statement that is really sent. */
import { escapeLiteral } from 'pg';
import { DatabaseClient, StatementGroup } from '#database';

interface Plan {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}

/** A statement with what it read. */
export interface Measured {
  text: string;
  buffers: number;
  ms: number;
}

type Query = (this: DatabaseClient, ...args: unknown[]) => Promise<unknown>;

const MEASURED = /^\s*(SELECT|WITH|UPDATE|DELETE|INSERT)\b/;
/** PostgreSQL plans a prepared statement for its parameters this often, and then once for all parameters if that is not more expensive. */
const CUSTOM_PLANS = 5;
const EXPLAIN = 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)';

/**
 * Measures the statements of every connection while `work` runs. Each is explained before it is sent, in a transaction that is rolled
 * back, so that it changes nothing twice. Of a prepared statement the more expensive one of its plans counts.
 */
export async function measureStatements(work: () => Promise<unknown>): Promise<Measured[]> {
  const measured: Measured[] = [];
  const inTransaction = new WeakSet<DatabaseClient>();
  const original = DatabaseClient.prototype.query as unknown as Query;
  const spy = jest.spyOn(DatabaseClient.prototype as unknown as { query: Query }, 'query').mockImplementation(async function (
    this: DatabaseClient,
    ...args: unknown[]
  ) {
    const send = (statement: string, parameters?: readonly unknown[]) => original.call(this, statement, parameters);
    for (const { text, values, isPrepared } of statementsOf(args)) {
      if (/^(BEGIN|START TRANSACTION)/i.test(text)) inTransaction.add(this);
      if (/^(COMMIT|ROLLBACK)/i.test(text)) inTransaction.delete(this);
      if (!MEASURED.test(text)) continue;
      const [begin, end] = inTransaction.has(this) ? ['SAVEPOINT measured', 'ROLLBACK TO SAVEPOINT measured'] : ['BEGIN', 'ROLLBACK'];
      await send(begin);
      try {
        measured.push({ text, ...(await explain(send, text, values)) });
        if (isPrepared) measured.push({ text: `prepared: ${text}`, ...(await explainPrepared(send, text, values)) });
      } finally {
        await send(end);
      }
    }
    return original.apply(this, args);
  });
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  return measured;
}

type Send = (statement: string, parameters?: readonly unknown[]) => Promise<unknown>;

async function explain(send: Send, text: string, values: readonly unknown[]): Promise<Omit<Measured, 'text'>> {
  return read(await send(`${EXPLAIN} ${text}`, values));
}

async function explainPrepared(send: Send, text: string, values: readonly unknown[]): Promise<Omit<Measured, 'text'>> {
  const execute = values.length === 0 ? 'EXECUTE measured' : `EXECUTE measured (${values.map(literal).join(', ')})`;
  await send(`PREPARE measured AS ${text}`);
  try {
    for (let count = 0; count < CUSTOM_PLANS; count++) await send(`EXPLAIN ${execute}`);
    return read(await send(`${EXPLAIN} ${execute}`));
  } finally {
    await send('DEALLOCATE measured');
  }
}

function read(result: unknown): Omit<Measured, 'text'> {
  const { rows } = result as { rows: { 'QUERY PLAN': { Plan: Plan; 'Execution Time': number }[] }[] };
  const explained = rows[0]?.['QUERY PLAN'][0];
  if (!explained) throw new Error('EXPLAIN returned no plan');
  return { buffers: explained.Plan['Shared Hit Blocks'] + explained.Plan['Shared Read Blocks'], ms: explained['Execution Time'] };
}

interface Sent {
  text: string;
  values: readonly unknown[];
  isPrepared: boolean;
}

function statementsOf([first, second]: unknown[]): Sent[] {
  if (first instanceof StatementGroup) return first.statements.map(({ text, values }) => ({ text, values, isPrepared: true }));
  const given = Array.isArray(second) ? second : [];
  if (typeof first === 'string') return [{ text: first, values: given, isPrepared: false }];
  const { text, values = given } = first as { text: string; values?: unknown[] };
  return [{ text, values, isPrepared: false }];
}

/** A parameter as SQL text, as the driver would send it. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (value instanceof Date) return escapeLiteral(value.toISOString());
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`;
  if (Array.isArray(value)) return escapeLiteral(`{${value.map((each) => JSON.stringify(String(each))).join(',')}}`);
  return escapeLiteral(String(value));
}
