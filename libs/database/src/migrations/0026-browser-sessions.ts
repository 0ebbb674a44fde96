import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions of browsers that signed in with an operator key. The cookie is a random token; the row has its hash only. */
export class BrowserSessions0000000000026 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE browser_sessions (
        token_hash text COLLATE "C" NOT NULL,
        key_id text COLLATE "C" NOT NULL,
        created_at timestamptz NOT NULL,
        last_seen_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT browser_sessions_pkey PRIMARY KEY (token_hash),
        CONSTRAINT browser_sessions_key_fkey FOREIGN KEY (key_id) REFERENCES api_keys (id) ON DELETE CASCADE
      )`);
    await runner.query('CREATE INDEX browser_sessions_by_key ON browser_sessions (key_id)');
    await runner.query('CREATE INDEX browser_sessions_by_end ON browser_sessions (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE browser_sessions');
  }
}
