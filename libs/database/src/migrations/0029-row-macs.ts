import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Message authentication codes of the rows because of which the service signs with an operator's key, or gives an operator's rights. Browser
 * sessions have none and end. What waits for an approval, or for a signature of its operator, must be asked for again. Pinned providers
 * are refused until `npm run operator -- sign-keys`.
 */
export class RowMacs0000000000029 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM browser_sessions');
    await runner.query('ALTER TABLE browser_sessions ADD COLUMN mac bytea NOT NULL');
    for (const [table, column] of COLUMNS) await runner.query(`ALTER TABLE ${table} ADD COLUMN ${column} bytea`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table, column] of COLUMNS) await runner.query(`ALTER TABLE ${table} DROP COLUMN ${column}`);
    await runner.query('ALTER TABLE browser_sessions DROP COLUMN mac');
  }
}

const COLUMNS = [
  ['operators', 'pending_mac'],
  ['accounts', 'pending_authority_mac'],
  ['orders', 'waiting_mac'],
  ['orders', 'approval_mac'],
  ['providers', 'mac'],
  ['signature_requests', 'mac'],
] as const;
