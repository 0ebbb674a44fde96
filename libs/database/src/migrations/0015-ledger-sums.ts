import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sums of ledger entries by hour, day and month of UTC, so that totals are read without the entries. A trigger notes each entry in
 * `unsummed_ledger_entries`, in the statement that writes it, whichever release's process that is. `fold_ledger_entries` moves the notes
 * into the sums, many at once: writers never wait for each other at a sum. What the sums and the notes hold together is the ledger, in
 * every snapshot.
 */
export class LedgerSums0000000000015 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE unsummed_ledger_entries (
        operator_id text COLLATE "C" NOT NULL,
        account_id text COLLATE "C" NOT NULL,
        created_at timestamptz NOT NULL,
        type text NOT NULL,
        direction text NOT NULL,
        provider text,
        category text,
        rejection_reason text,
        micro_usdc bigint NOT NULL,
        entries integer NOT NULL,
        CONSTRAINT unsummed_ledger_entries_added_or_removed CHECK (entries IN (1, -1))
      ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`);
    // What left the accounts and what was declined. Without an account: of all accounts of the operator.
    await runner.query(`
      CREATE TABLE ledger_sums (
        operator_id text COLLATE "C" NOT NULL,
        account_id text COLLATE "C",
        span text NOT NULL,
        starts_at timestamptz NOT NULL,
        type text NOT NULL,
        provider text COLLATE "C",
        category text COLLATE "C",
        rejection_reason text COLLATE "C",
        micro_usdc numeric NOT NULL,
        entries bigint NOT NULL,
        nonzero_entries bigint NOT NULL,
        CONSTRAINT ledger_sums_span CHECK (span IN ('hour', 'day', 'month')),
        CONSTRAINT ledger_sums_type CHECK (type IN ('transfer', 'session_settlement', 'rejection'))
      )`);
    // The same by account alone. Narrow, because a query may read one row of every account.
    await runner.query(`
      CREATE TABLE ledger_account_sums (
        operator_id text COLLATE "C" NOT NULL,
        span text NOT NULL,
        starts_at timestamptz NOT NULL,
        account_id text COLLATE "C" NOT NULL,
        sent_micro_usdc numeric NOT NULL,
        sent_entries bigint NOT NULL,
        declined_micro_usdc numeric NOT NULL,
        declined_entries bigint NOT NULL,
        CONSTRAINT ledger_account_sums_span CHECK (span IN ('hour', 'day', 'month'))
      )`);
    // What each account received less what left it: with it the ledger of an account is a few rows, however long it is.
    await runner.query(`
      CREATE TABLE ledger_account_nets (
        account_id text COLLATE "C" NOT NULL,
        month timestamptz NOT NULL,
        net_micro_usdc numeric NOT NULL
      )`);
    // Entries are written once and never changed by the service. A repair by hand is noted too: as a negative entry.
    await runner.query(`
      CREATE FUNCTION note_ledger_entry() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF TG_OP <> 'INSERT' THEN
          ${note('OLD', -1)}
        END IF;
        IF TG_OP <> 'DELETE' THEN
          ${note('NEW', 1)}
        END IF;
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE FUNCTION fold_ledger_entries(max_entries bigint) RETURNS bigint LANGUAGE sql AS $$
        ${addToSums(`DELETE FROM unsummed_ledger_entries WHERE ctid IN (SELECT ctid FROM unsummed_ledger_entries LIMIT max_entries FOR UPDATE SKIP LOCKED) RETURNING *`)}
      $$`);
    await runner.query(`
      CREATE FUNCTION rebuild_ledger_sums() RETURNS bigint LANGUAGE sql AS $$
        LOCK TABLE ledger_entries IN SHARE ROW EXCLUSIVE MODE;
        DELETE FROM unsummed_ledger_entries;
        DELETE FROM ledger_sums;
        DELETE FROM ledger_account_sums;
        DELETE FROM ledger_account_nets;
        ${addToSums(LEDGER)}
      $$`);
    // The lock that the trigger takes lasts until the migration is committed: no entry is written between it and the sums.
    await runner.query(
      'CREATE TRIGGER ledger_entries_noted AFTER INSERT OR UPDATE OR DELETE ON ledger_entries FOR EACH ROW EXECUTE FUNCTION note_ledger_entry()',
    );
    // Without constraints there is nothing to look up for each row, and adding them afterwards is several times faster.
    await runner.query(`SET LOCAL work_mem = '64MB'; SET LOCAL maintenance_work_mem = '256MB'`);
    await runner.query(addToSums(LEDGER, ['', '', '']));
    await runner.query(`
      ALTER TABLE ledger_sums
        ADD CONSTRAINT ledger_sums_unique UNIQUE NULLS NOT DISTINCT (operator_id, account_id, span, starts_at, type, provider, category, rejection_reason),
        ADD CONSTRAINT ledger_sums_operator_fkey FOREIGN KEY (operator_id) REFERENCES operators (id)`);
    await runner.query(`
      ALTER TABLE ledger_account_sums ADD CONSTRAINT ledger_account_sums_pkey PRIMARY KEY (operator_id, span, starts_at, account_id),
        ADD CONSTRAINT ledger_account_sums_operator_fkey FOREIGN KEY (operator_id) REFERENCES operators (id)`);
    await runner.query('ALTER TABLE ledger_account_nets ADD CONSTRAINT ledger_account_nets_pkey PRIMARY KEY (account_id, month)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER ledger_entries_noted ON ledger_entries');
    await runner.query('DROP FUNCTION rebuild_ledger_sums(), fold_ledger_entries(bigint), note_ledger_entry()');
    await runner.query('DROP TABLE ledger_account_nets, ledger_account_sums, ledger_sums, unsummed_ledger_entries');
  }
}

/** A sum that exists is raised. */
const ON_CONFLICT = [
  `ON CONFLICT (operator_id, account_id, span, starts_at, type, provider, category, rejection_reason) DO UPDATE
            SET micro_usdc = sums.micro_usdc + excluded.micro_usdc, entries = sums.entries + excluded.entries, nonzero_entries = sums.nonzero_entries + excluded.nonzero_entries`,
  `ON CONFLICT (operator_id, span, starts_at, account_id) DO UPDATE
            SET sent_micro_usdc = sums.sent_micro_usdc + excluded.sent_micro_usdc,
                sent_entries = sums.sent_entries + excluded.sent_entries, declined_micro_usdc = sums.declined_micro_usdc + excluded.declined_micro_usdc,
                declined_entries = sums.declined_entries + excluded.declined_entries`,
  'ON CONFLICT (account_id, month) DO UPDATE SET net_micro_usdc = nets.net_micro_usdc + excluded.net_micro_usdc',
];

const LEDGER = 'SELECT *, 1 AS entries FROM ledger_entries';
const NOTE_COLUMNS = ['operator_id', 'account_id', 'created_at', 'type', 'direction', 'provider', 'category', 'rejection_reason'];

function note(row: 'OLD' | 'NEW', entries: 1 | -1): string {
  return `INSERT INTO unsummed_ledger_entries (${NOTE_COLUMNS.join(', ')}, micro_usdc, entries)
            VALUES (${NOTE_COLUMNS.map((column) => `${row}.${column}`).join(', ')}, ${entries} * ${row}.micro_usdc, ${entries});`;
}

/**
 * SQL that adds ledger entries to the sums, and returns their number. Rows are written in the order of their keys, so that two that run at
 * once have no deadlock.
 */
function addToSums(entries: string, [onSumConflict, onAccountConflict, onNetConflict] = ON_CONFLICT): string {
  return `
        WITH taken AS (${entries}),
        noted AS (SELECT *, date_trunc('hour', created_at, 'UTC') AS hour, date_trunc('day', created_at, 'UTC') AS day, date_trunc('month', created_at, 'UTC') AS month FROM taken),
        detail AS (
          INSERT INTO ledger_sums AS sums (operator_id, account_id, span, starts_at, type, provider, category, rejection_reason, micro_usdc, entries, nonzero_entries)
          SELECT operator_id, account_id, CASE WHEN hour IS NOT NULL THEN 'hour' WHEN day IS NOT NULL THEN 'day' ELSE 'month' END AS span, COALESCE(hour, day, month) AS starts_at, type, provider, category, rejection_reason,
                 sum(micro_usdc), sum(entries), COALESCE(sum(entries) FILTER (WHERE micro_usdc <> 0), 0)
          FROM noted WHERE direction = 'out'
          GROUP BY operator_id, type, provider, category, rejection_reason, GROUPING SETS ((hour, account_id), (hour), (day, account_id), (day), (month, account_id), (month))
          ORDER BY operator_id, account_id, span, starts_at, type, provider, category, rejection_reason
          ${onSumConflict}
        ), accounts AS (
          INSERT INTO ledger_account_sums AS sums (operator_id, span, starts_at, account_id, sent_micro_usdc, sent_entries, declined_micro_usdc, declined_entries)
          SELECT operator_id, CASE WHEN hour IS NOT NULL THEN 'hour' WHEN day IS NOT NULL THEN 'day' ELSE 'month' END AS span, COALESCE(hour, day, month) AS starts_at, account_id,
                 COALESCE(sum(micro_usdc) FILTER (WHERE type <> 'rejection'), 0), COALESCE(sum(entries) FILTER (WHERE type <> 'rejection'), 0),
                 COALESCE(sum(micro_usdc) FILTER (WHERE type = 'rejection'), 0), COALESCE(sum(entries) FILTER (WHERE type = 'rejection'), 0)
          FROM noted WHERE direction = 'out' GROUP BY operator_id, account_id, GROUPING SETS ((hour), (day), (month))
          ORDER BY operator_id, span, starts_at, account_id
          ${onAccountConflict}
        ), nets AS (
          INSERT INTO ledger_account_nets AS nets (account_id, month, net_micro_usdc)
          SELECT account_id, month, sum(CASE direction WHEN 'in' THEN micro_usdc ELSE -micro_usdc END) FROM noted WHERE type <> 'rejection'
          GROUP BY account_id, month ORDER BY account_id, month
          ${onNetConflict}
        )
        SELECT count(*) FROM noted
`;
}
