import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Evidence of payments, kept as long as they are: digests of the request and of the answer, the 402 as it came, the version of the policy
 * that decided, with its content once a version, and the slot of the transaction that paid. Payments from before have none.
 */
export class PaymentEvidence0000000000051 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE payments
        ADD COLUMN request_evidence_sealed text,
        ADD COLUMN demand_evidence_sealed text,
        ADD COLUMN answer_evidence_sealed text,
        ADD COLUMN decided_version bigint,
        ADD COLUMN landed_slot bigint`);
    await runner.query(`
      CREATE TABLE decided_policies (
        account_id text NOT NULL REFERENCES accounts (id),
        version bigint NOT NULL,
        policy jsonb NOT NULL,
        PRIMARY KEY (account_id, version))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE decided_policies');
    await runner.query(`
      ALTER TABLE payments
        DROP COLUMN request_evidence_sealed, DROP COLUMN demand_evidence_sealed, DROP COLUMN answer_evidence_sealed,
        DROP COLUMN decided_version, DROP COLUMN landed_slot`);
  }
}
