import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Indexes that bound what each list and sweep reads, for all accounts of an operator and for one account. The filters of transfers index
 * final orders only: an order's row is written three times until it is final, and each version would be written to each index. The few
 * orders that are not final have an index of their own. An operator's ledger entries, payments, sessions and purses of all types or statuses are
 * merged from the indexes with the type or the status.
 */
export class BoundedLists0000000000019 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [name, on] of ADDED) await runner.query(`CREATE INDEX ${name} ON ${on}`);
    for (const [name] of DROPPED) await runner.query(`DROP INDEX ${name}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [name, on] of DROPPED) await runner.query(`CREATE INDEX ${name} ON ${on}`);
    for (const [name] of ADDED) await runner.query(`DROP INDEX ${name}`);
  }
}

const IS_TRANSFER = `WHERE kind = 'transfer'`;
const IS_FINAL = `${IS_TRANSFER} AND final_at IS NOT NULL`;

const ADDED = [
  ['orders_final_by_status', `orders (operator_id, status, id) ${IS_FINAL}`],
  ['orders_final_by_destination', `orders (operator_id, destination, id) ${IS_FINAL}`],
  ['orders_final_by_amount', `orders (operator_id, micro_usdc, id) ${IS_FINAL}`],
  ['orders_final_by_category', `orders (operator_id, category, id) ${IS_FINAL} AND category IS NOT NULL`],
  ['orders_final_by_rejection', `orders (operator_id, rejection_reason, id) ${IS_FINAL} AND rejection_reason IS NOT NULL`],
  ['orders_final_by_reference', `orders (operator_id, reference, id) ${IS_FINAL} AND reference IS NOT NULL`],
  ['orders_final_by_key', `orders (operator_id, idempotency_key) ${IS_FINAL}`],
  ['orders_final_of_account_by_status', `orders (account_id, status, id) ${IS_FINAL}`],
  ['orders_final_of_account_by_destination', `orders (account_id, destination, id) ${IS_FINAL}`],
  ['orders_final_of_account_by_category', `orders (account_id, category, id) ${IS_FINAL} AND category IS NOT NULL`],
  ['orders_final_of_account_by_rejection', `orders (account_id, rejection_reason, id) ${IS_FINAL} AND rejection_reason IS NOT NULL`],
  ['orders_final_of_account_by_reference', `orders (account_id, reference, id) ${IS_FINAL} AND reference IS NOT NULL`],
  ['orders_open', 'orders (operator_id, kind, id) WHERE final_at IS NULL'],
  ['orders_open_of_account', 'orders (account_id, kind, id) WHERE final_at IS NULL'],
  ['orders_pending', `orders (operator_id, approval_expires_at) WHERE status = 'pending_approval'`],
  ['orders_openings_of_account', `orders (account_id, kind, status, id) WHERE kind IN ('session', 'purse')`],
  ['ledger_entries_of_account_by_category', 'ledger_entries (account_id, category, id) WHERE category IS NOT NULL'],
  ['ledger_entries_of_account_by_counterparty', 'ledger_entries (account_id, counterparty, id) WHERE counterparty IS NOT NULL'],
  ['ledger_entries_of_account_by_reference', 'ledger_entries (account_id, reference, id) WHERE reference IS NOT NULL'],
  ['payments_of_account_by_status', 'payments (account_id, status, id)'],
  ['payments_of_account_by_provider', 'payments (account_id, provider, id)'],
  ['sessions_of_account_by_state', 'sessions (account_id, state, id)'],
  ['purses_of_account_by_status', 'purses (account_id, status, id)'],
] as const;

const DROPPED = [
  ['orders_by_key', 'orders (operator_id, idempotency_key)'],
  ['orders_by_status', `orders (operator_id, status, id) ${IS_TRANSFER}`],
  ['orders_by_destination', `orders (operator_id, destination, id) ${IS_TRANSFER}`],
  ['orders_by_amount', `orders (operator_id, micro_usdc, id) ${IS_TRANSFER}`],
  ['orders_by_category', `orders (operator_id, category, id) ${IS_TRANSFER} AND category IS NOT NULL`],
  ['orders_by_rejection', `orders (operator_id, rejection_reason, id) ${IS_TRANSFER} AND rejection_reason IS NOT NULL`],
  ['orders_by_reference', `orders (operator_id, reference, id) ${IS_TRANSFER} AND reference IS NOT NULL`],
  ['ledger_entries_by_operator', 'ledger_entries (operator_id, id)'],
  ['ledger_entries_operator_settled', `ledger_entries (operator_id, id) WHERE type <> 'rejection'`],
  ['ledger_entries_rejected', `ledger_entries (account_id, id) WHERE type = 'rejection'`],
  ['ledger_entries_settled', `ledger_entries (account_id, id) WHERE type <> 'rejection'`],
  ['payments_by_operator', 'payments (operator_id, id)'],
  ['sessions_by_operator', 'sessions (operator_id, id)'],
  ['purses_by_operator', 'purses (operator_id, id)'],
] as const;
