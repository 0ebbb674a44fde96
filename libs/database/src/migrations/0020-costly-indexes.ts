import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Drops indexes that cost each transfer more than their lists gain. A reference names few rows of an operator, whichever accounts they are
 * of. A transfer is found by its key in the unique index of keys in use; only keys that were freed need another.
 */
export class CostlyIndexes0000000000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX orders_freed_keys ON orders (operator_id, idempotency_key) WHERE kind = 'transfer' AND active_idempotency_key IS NULL`,
    );
    for (const [name] of DROPPED) await runner.query(`DROP INDEX ${name}`);
    await deposits(runner, 'signature, account_id');
  }

  async down(runner: QueryRunner): Promise<void> {
    await deposits(runner, 'account_id, signature');
    for (const [name, on] of DROPPED) await runner.query(`CREATE INDEX ${name} ON ${on}`);
    await runner.query('DROP INDEX orders_freed_keys');
  }
}

/** With the account first, the planner takes this index for an account's newest deposits, and reads and sorts all of them. */
async function deposits(runner: QueryRunner, columns: string): Promise<void> {
  await runner.query('DROP INDEX ledger_entries_deposit_once');
  await runner.query(`CREATE UNIQUE INDEX ledger_entries_deposit_once ON ledger_entries (${columns}) WHERE type = 'deposit'`);
}

const IS_FINAL = `WHERE kind = 'transfer' AND final_at IS NOT NULL`;

const DROPPED = [
  ['orders_final_by_key', `orders (operator_id, idempotency_key) ${IS_FINAL}`],
  ['orders_final_of_account_by_reference', `orders (account_id, reference, id) ${IS_FINAL} AND reference IS NOT NULL`],
  ['ledger_entries_of_account_by_reference', 'ledger_entries (account_id, reference, id) WHERE reference IS NOT NULL'],
] as const;
