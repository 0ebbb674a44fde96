import type { DataSource } from 'typeorm';
import { Batcher, type Outcomes } from '#batcher';
import { sqlstateOf, storageFault } from '../faults';
import { execute, type Prepared, type Row } from './sql';
import { runGroup } from './statements';

/** How long a statement of a group waits for a lock. Then each runs alone, so that one that must wait longer holds up no other. */
const LOCK_TIMEOUT_MS = 250;
const BOUND_LOCKS = { text: `SELECT set_config('lock_timeout', $1, true)`, values: [`${LOCK_TIMEOUT_MS}ms`] };

interface Keyed {
  statement: Prepared;
  key: string;
}

/**
 * Statements of one step that run as they come, several in one transaction: one message, one commit, and each its own guard and rows. A
 * statement that fails undoes the transaction; then each of them runs alone, and it fails alone.
 */
export class SharedStatements {
  private readonly batcher: Batcher<Keyed, Row[]>;

  constructor(private readonly database: DataSource) {
    this.batcher = new Batcher((batch) => this.run(batch));
  }

  /**
   * Runs a statement. Statements that lock rows of one account have its id as `key`: a transaction takes its locks in the order of keys,
   * so that two of them do not wait for each other. @throws the database's error, as `execute` does
   */
  execute(statement: Prepared, key = ''): Promise<Row[]> {
    return this.batcher.add({ statement, key });
  }

  private async run(batch: Keyed[]): Promise<Outcomes<Row[]>> {
    const [only, ...others] = batch;
    if (only && others.length === 0) return [await execute(this.database, only.statement)];
    const order = batch.map((_, index) => index).sort((one, other) => compare(batch[one]?.key ?? '', batch[other]?.key ?? ''));
    try {
      const [, ...results] = await runGroup(this.database, [BOUND_LOCKS, ...order.flatMap((index) => batch[index]?.statement ?? [])]);
      const rows: Row[][] = batch.map(() => []);
      order.forEach((index, position) => (rows[index] = results[position] ?? []));
      return rows;
    } catch (error) {
      if (!isUndone(error)) throw error;
      return batch.map(({ statement }) => execute(this.database, statement));
    }
  }
}

/** Whether the server itself says that a transaction was rolled back. A lost connection leaves the outcome of all its statements unknown. */
function isUndone(error: unknown): boolean {
  return sqlstateOf(error) !== undefined && storageFault(error) !== 'unknown';
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
