import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The audit log: who changed what. Each operator's entries are a chain: an entry holds the hash of the one before it, so that an entry which
 * is changed, removed or inserted later breaks the chain.
 */
export class AuditLog0000000000017 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE audit_log (
        operator_id text NOT NULL REFERENCES operators (id),
        position bigint NOT NULL,
        id text NOT NULL,
        at timestamptz NOT NULL,
        actor_type text NOT NULL,
        key_id text,
        action text NOT NULL,
        object text NOT NULL,
        before jsonb,
        after jsonb,
        request_id text,
        ip text,
        previous_hash text,
        hash text NOT NULL,
        PRIMARY KEY (operator_id, position),
        CONSTRAINT audit_log_id_unique UNIQUE (id),
        CONSTRAINT audit_log_actor_type CHECK (actor_type IN ('operator', 'agent', 'service')),
        CONSTRAINT audit_log_hash CHECK (hash ~ '^[0-9a-f]{64}$'),
        CONSTRAINT audit_log_first CHECK ((position = 1) = (previous_hash IS NULL))
      )`);
    await runner.query('CREATE INDEX audit_log_by_action ON audit_log (operator_id, action, position)');
    await runner.query('CREATE INDEX audit_log_by_object ON audit_log (operator_id, object, position)');
    await runner.query('CREATE INDEX audit_log_by_actor ON audit_log (operator_id, key_id, position)');
    await runner.query(`
      CREATE FUNCTION audit_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'the audit log is append-only';
      END $$`);
    await runner.query(`
      CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
        FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only()`);
    // The entry is hashed as canonical JSON (RFC 8785), in which previous_hash stands between two parts that the caller knows. The lock
    // makes the entries of an operator one chain: it is the last lock that a statement or a transaction takes.
    await runner.query(`
      CREATE FUNCTION record_audit_entry(operator text, upper text, lower text) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        last audit_log;
        document text;
        entry jsonb;
      BEGIN
        PERFORM pg_advisory_xact_lock(hashtextextended('audit ' || operator, 0));
        SELECT * INTO last FROM audit_log WHERE operator_id = operator ORDER BY position DESC LIMIT 1;
        document := upper || coalesce('"' || last.hash || '"', 'null') || lower;
        entry := document::jsonb;
        INSERT INTO audit_log (operator_id, position, id, at, actor_type, key_id, action, object, before, after, request_id, ip, previous_hash, hash)
        VALUES (operator, coalesce(last.position, 0) + 1, entry->>'id', (entry->>'at')::timestamptz, entry->'actor'->>'type', entry->'actor'->>'key_id',
                entry->>'action', entry->>'object', nullif(entry->'before', 'null'), nullif(entry->'after', 'null'), entry->>'request_id', entry->>'ip',
                last.hash, encode(sha256(convert_to(document, 'UTF8')), 'hex'));
      END $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION record_audit_entry(text, text, text)');
    await runner.query('DROP TABLE audit_log');
    await runner.query('DROP FUNCTION audit_log_is_append_only()');
  }
}
