import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Encrypted answers of providers, in place of readable ones, and how much of them an account keeps. Answers from before are deleted. */
export class SealedAnswers0000000000030 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX payments_with_response');
    await runner.query(`ALTER TABLE payments DROP COLUMN response_body, DROP COLUMN response_headers,
      ADD COLUMN response_sealed text, ADD COLUMN response_bytes integer`);
    await runner.query(
      'CREATE INDEX payments_with_response ON payments (final_at) WHERE response_sealed IS NOT NULL OR request_sealed IS NOT NULL',
    );
    await runner.query(`CREATE INDEX payments_free_answers ON payments (final_at) WHERE response_sealed IS NOT NULL AND status = 'free'`);
    await runner.query(
      'CREATE INDEX payments_kept_bytes ON payments (account_id) INCLUDE (response_bytes) WHERE response_sealed IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX payments_kept_bytes, payments_free_answers, payments_with_response');
    await runner.query(`ALTER TABLE payments DROP COLUMN response_bytes, DROP COLUMN response_sealed,
      ADD COLUMN response_headers jsonb, ADD COLUMN response_body bytea`);
    await runner.query(
      'CREATE INDEX payments_with_response ON payments (final_at) WHERE response_body IS NOT NULL OR request_sealed IS NOT NULL',
    );
  }
}
