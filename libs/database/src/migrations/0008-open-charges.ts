import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The chain lets an account have one charge open at a time: whose turn it is, from before its approval until after its end. */
export class OpenCharges0000000000008 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE open_charges (
        account_id text COLLATE "C" NOT NULL,
        payment_id text COLLATE "C" NOT NULL,
        taken_at timestamptz NOT NULL,
        CONSTRAINT open_charges_pkey PRIMARY KEY (account_id),
        CONSTRAINT open_charges_payment_unique UNIQUE (payment_id),
        CONSTRAINT open_charges_account_fkey FOREIGN KEY (account_id) REFERENCES accounts (id),
        CONSTRAINT open_charges_payment_fkey FOREIGN KEY (payment_id) REFERENCES payments (id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE open_charges');
  }
}
