import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What the operator searches and filters by: words of names and memos; keys, signatures, amounts, categories and reasons of payments; and
 * what a payment has called.
 *
 * The hot rows pay little: a memo's words are indexed in the ledger, whose entries are written once, and not in `orders`, each of whose
 * updates would write them again. The words of a row include its operator's id, so that a search reads no other operator's rows.
 */
export class Search0000000000016 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE payments ADD COLUMN request_method text, ADD COLUMN request_url text');
    // Characters beyond ASCII belong to words in every locale: what [:alnum:] matches depends on the database's.
    await runner.query(`
      CREATE FUNCTION searched_words(operator text, words text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
        SELECT array_to_tsvector(array_append(array_remove(regexp_split_to_array(lower(words), '[^a-z0-9\\u0080-\\U0010ffff]+'), ''), operator))
      $$`);
    for (const [name, on] of INDEXES) await runner.query(`CREATE INDEX ${name} ON ${on}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [name] of INDEXES) await runner.query(`DROP INDEX ${name}`);
    await runner.query('DROP FUNCTION searched_words(text, text)');
    await runner.query('ALTER TABLE payments DROP COLUMN request_method, DROP COLUMN request_url');
  }
}

const INDEXES = [
  ['accounts_by_word', 'accounts USING gin (searched_words(operator_id, name_key))'],
  ['accounts_by_handle', `accounts (operator_id, handle)`],
  ['ledger_entries_by_word', `ledger_entries USING gin (searched_words(operator_id, memo)) WHERE memo IS NOT NULL AND direction = 'out'`],
  ['payments_by_key', 'payments (operator_id, idempotency_key) WHERE final_at IS NOT NULL'],
  ['payments_by_amount', 'payments (operator_id, micro_usdc, id) WHERE final_at IS NOT NULL'],
  ['payments_by_signature', 'payments (signature) WHERE signature IS NOT NULL'],
  ['payments_by_category', 'payments (operator_id, category, id) WHERE category IS NOT NULL'],
  ['payments_by_rejection', 'payments (operator_id, rejection_reason, id) WHERE rejection_reason IS NOT NULL'],
  ['payments_by_reference', 'payments (operator_id, reference, id) WHERE reference IS NOT NULL'],
] as const;
