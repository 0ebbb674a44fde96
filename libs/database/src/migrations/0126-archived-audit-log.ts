import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Entries of the audit log can be deleted once their month is archived, and in no other way. */
export class ArchivedAuditLog0000000000126 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER audit_log_append_only ON audit_log');
    await runner.query(`
      CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR TRUNCATE ON audit_log
        FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only()`);
    await runner.query(`
      CREATE FUNCTION audit_entry_is_archived() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF date_trunc('month', OLD.at, 'UTC') <= (SELECT max(month) FROM archived_months) THEN RETURN OLD; END IF;
        RAISE EXCEPTION 'the audit log is append-only';
      END $$`);
    await runner.query(`
      CREATE TRIGGER audit_log_archived BEFORE DELETE ON audit_log
        FOR EACH ROW EXECUTE FUNCTION audit_entry_is_archived()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER audit_log_archived ON audit_log');
    await runner.query('DROP FUNCTION audit_entry_is_archived()');
    await runner.query('DROP TRIGGER audit_log_append_only ON audit_log');
    await runner.query(`
      CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
        FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only()`);
  }
}
