// Loads the rows of a large operator into the database at DATABASE_URL, for measuring lists and sweeps: by default a million transfers, two
// million ledger entries, 20,000 accounts and 200,000 deliveries. Migrates the database first. `--rows 200000` scales everything,
// `--operator op_…` loads for an operator that exists, `--measure` prints what each list and sweep reads. The database should be one of its
// own: triggers and foreign keys are off during the load, which needs a superuser. Prints the ids that the measurement uses as JSON.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { migrate } from '../../dist/libs/database/src/index.js';

const { values: options } = parseArgs({
  options: { rows: { type: 'string', default: '1000000' }, operator: { type: 'string' }, measure: { type: 'boolean', default: false } },
});
const url = process.env.DATABASE_URL;
if (!url) throw new Error('DATABASE_URL names no database');
const rows = Number(options.rows);
if (!Number.isInteger(rows) || rows < 10_000) throw new Error('--rows takes a whole number of at least 10000');

/** Everything happened in this time, evenly spread. Longer than events are kept, so that retention has work. */
const DAYS = 31;
const DORMANT = 100;
/** Base 32 of the milliseconds of a time, as ids have it (`libs/database/src/entities/id.ts`), and 16 more characters. */
const FUNCTIONS = `
  CREATE FUNCTION pg_temp.age(at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT ${Array.from({ length: 10 }, (_, place) => `substr('0123456789abcdefghjkmnpqrstvwxyz', ((ms >> ${45 - 5 * place}) & 31)::int + 1, 1)`).join(' || ')}
    FROM (SELECT floor(extract(epoch FROM at) * 1000)::bigint AS ms) AS time $$;
  CREATE FUNCTION pg_temp.id(prefix text, age text, seed text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT prefix || '_' || age || substr(md5(prefix || seed), 1, 16) $$;
  CREATE FUNCTION pg_temp.signature(seed text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT md5('s' || seed) || md5('t' || seed) || substr(md5('u' || seed), 1, 24) $$;
  CREATE FUNCTION pg_temp.hash(seed text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$ SELECT sha256(seed::bytea) $$`;

/**
 * The statements of a load, in order. `load.transfers` decides what each transfer is. Account 1 has a fifth of the transfers, accounts 2 to
 * 101 have one each, the oldest. Account 102 has a twentieth: all settled, of one category and without references. The others have the more,
 * the lower their number. Rare values are those of the oldest transfers.
 */
const statements = (operator) => `
  SELECT setseed(0.25);
  CREATE TEMP TABLE load_accounts AS
    SELECT n, pg_temp.id('acct', pg_temp.age(now() - interval '${DAYS + 1} days' + n * interval '1 millisecond'), n::text) AS id, 'Token' || md5('token' || n) || substr(md5(n::text), 1, 7) AS token
    FROM generate_series(1, ${rows / 50}) AS n;
  ALTER TABLE load_accounts ADD PRIMARY KEY (n);
  INSERT INTO accounts (id, operator_id, name, name_key, handle, state, creator, chain_address, usdc_token_account, authority_key, authority_key_sealed, policy, paused,
      balance_micro_usdc, created_at, next_seq, read_at)
    SELECT id, '${operator}', 'Agent ' || n, 'agent ' || n, 'agent-' || n, 'open', 'creator', 'Chain' || md5('chain' || n) || substr(md5(n::text), 1, 7), token, 'authority', 'sealed',
      jsonb_build_object('max_single_transfer', NULL, 'max_daily_spend', NULL, 'allowed_counterparties', NULL, 'categories', NULL, 'require_memo', false, 'escalation_threshold', NULL, 'paused', n % 1000 = 0),
      n % 1000 = 0, 1000000, now() - interval '${DAYS + 1} days', 10000000, now()
    FROM load_accounts;

  CREATE TEMP TABLE load_transfers AS
    SELECT i, at, age, pg_temp.id('tr', age, i::text) AS id, payer.id AS account_id, payee.id AS payee_id, payee.token AS payee_token,
      CASE WHEN i IN (101, 102, 103) THEN 'failed' WHEN i IN (104, 105) THEN 'pending_approval' WHEN i = 106 THEN 'submitted' WHEN i = 107 OR (i % 16 = 0 AND payer.n <> ${DORMANT + 2}) THEN 'rejected' ELSE 'settled' END AS status,
      CASE WHEN i = 107 THEN 'denied' WHEN i % 16 = 0 AND payer.n <> ${DORMANT + 2} THEN (ARRAY['max_daily_spend', 'max_single_transfer', 'insufficient_balance', 'allowed_counterparties'])[1 + i / 16 % 4] END AS reason,
      CASE WHEN i = 108 THEN 'rare' WHEN payer.n = ${DORMANT + 2} THEN 'inference' WHEN i % 3 > 0 THEN (ARRAY['inference', 'data', 'search', 'agent-reward'])[1 + i % 4] END AS category,
      CASE WHEN i = 109 THEN 'rare' WHEN i % 2 = 0 AND payer.n <> ${DORMANT + 2} THEN 'invoice-' || i END AS reference,
      CASE WHEN i = 110 THEN 5000000000 ELSE 1 + i % 100000 END AS micro_usdc, row_number() OVER (PARTITION BY payer.n ORDER BY i) AS seq
    FROM (SELECT i, at, pg_temp.age(at) AS age,
            CASE WHEN i <= ${DORMANT} THEN i + 1 WHEN i <= 200 OR random() < 0.2 THEN 1 WHEN random() < 0.0625 THEN ${DORMANT + 2} ELSE ${DORMANT + 3} + floor((${rows / 50} - ${DORMANT + 3}) * random() ^ 3)::int END AS payer_n,
            CASE WHEN i = 111 THEN 2 ELSE ${DORMANT + 2} + floor((${rows / 50} - ${DORMANT + 2}) * random())::int END AS payee_n
          FROM (SELECT i, now() - (${rows} - i) * (interval '${DAYS} days' / ${rows}) - interval '1 second' AS at FROM generate_series(1, ${rows}) AS i) AS each) AS drawn
    JOIN load_accounts payer ON payer.n = payer_n JOIN load_accounts payee ON payee.n = payee_n;
  INSERT INTO orders (id, operator_id, account_id, idempotency_key, active_idempotency_key, request_hash, recipient, destination, destination_account_id, micro_usdc, category, status,
      approval_expires_at, seq, signature, rejection_reason, failure, created_at, submitted_at, settled_at, final_at, lease_until, kind, reference)
    SELECT id, '${operator}', account_id, 'key-' || i, 'key-' || i, pg_temp.hash(i::text), payee_id, payee_token, payee_id, micro_usdc, category, status,
      CASE status WHEN 'pending_approval' THEN now() + interval '1 day' END, CASE WHEN status IN ('settled', 'submitted') THEN seq END, CASE status WHEN 'settled' THEN pg_temp.signature(i::text) END, reason,
      CASE status WHEN 'failed' THEN '{"reason":"source_frozen","message":"The account is frozen."}'::jsonb END, at, CASE WHEN status IN ('settled', 'submitted') THEN at END,
      CASE status WHEN 'settled' THEN at END, CASE WHEN status IN ('settled', 'rejected', 'failed') THEN at END, CASE status WHEN 'submitted' THEN now() + interval '1 day' ELSE at END, 'transfer', reference
    FROM load_transfers ORDER BY i;
  INSERT INTO order_attempts (order_id, signature, seq, bytes, last_valid_block_height, created_at)
    SELECT id, pg_temp.signature(i::text), seq, '\\x00', i, at FROM load_transfers WHERE status = 'settled' ORDER BY i;
  INSERT INTO ledger_entries (id, operator_id, account_id, type, direction, micro_usdc, counterparty, category, signature, order_id, transfer_id, rejection_reason, reference, created_at, settled_at)
    SELECT pg_temp.id('txn', age, i || direction), '${operator}', CASE direction WHEN 'in' THEN payee_id ELSE account_id END, CASE status WHEN 'settled' THEN 'transfer' ELSE 'rejection' END, direction,
      micro_usdc, CASE direction WHEN 'in' THEN account_id ELSE payee_id END, category, CASE status WHEN 'settled' THEN pg_temp.signature(i::text) END, id, id, reason, reference, at, CASE status WHEN 'settled' THEN at END
    FROM load_transfers CROSS JOIN (VALUES ('out'), ('in')) AS side (direction) WHERE status = 'settled' OR (status = 'rejected' AND direction = 'out') ORDER BY i, direction DESC;
  INSERT INTO ledger_entries (id, operator_id, account_id, type, direction, micro_usdc, counterparty, signature, created_at, settled_at)
    SELECT pg_temp.id('txn', age, 'd' || i), '${operator}', account_id, 'deposit', 'in', 1000000, 'Depositor', pg_temp.signature('d' || i), at, at FROM load_transfers WHERE i % 50 = 1 ORDER BY i;

  CREATE TEMP TABLE load_openings AS
    SELECT i, at, age, account_id, i % 100 = 0 AS is_purse, CASE WHEN i % 100 = 0 THEN pg_temp.id('purse', age, i::text) ELSE pg_temp.id('sess', age, i::text) END AS id,
      CASE WHEN i IN (150, 200) THEN 'pending_approval' WHEN i IN (250, 300) THEN 'rejected' ELSE 'settled' END AS opening, i > ${rows} - 5000 AS is_open, 'https://api' || i / 50 % 20 || '.example.com' AS provider
    FROM load_transfers WHERE i % 50 = 0;
  INSERT INTO orders (id, operator_id, account_id, idempotency_key, active_idempotency_key, request_hash, payee, delegate_key, micro_usdc, status, approval_expires_at, seq, signature, rejection_reason,
      created_at, submitted_at, settled_at, final_at, lease_until, kind, session_id)
    SELECT id, '${operator}', account_id, 'opening-' || i, 'opening-' || i, pg_temp.hash(i::text), CASE WHEN NOT is_purse THEN 'Payee' END, CASE WHEN is_purse THEN 'Delegate' || i END, 1000000, opening,
      CASE opening WHEN 'pending_approval' THEN now() + interval '1 day' END, CASE opening WHEN 'settled' THEN 5000000 + i END, CASE opening WHEN 'settled' THEN pg_temp.signature('o' || i) END,
      CASE opening WHEN 'rejected' THEN 'max_daily_spend' END, at, CASE opening WHEN 'settled' THEN at END, CASE opening WHEN 'settled' THEN at END,
      CASE WHEN opening <> 'pending_approval' THEN at END, at, CASE WHEN is_purse THEN 'purse' ELSE 'session' END, CASE WHEN NOT is_purse THEN id END
    FROM load_openings ORDER BY i;
  INSERT INTO sessions (id, operator_id, account_id, provider, payee, grace_seconds, expires_in_seconds, voucher_key, voucher_key_sealed, state, address, cap_micro_usdc, returned_micro_usdc, open_signature,
      end_signature, created_at, opened_at, expires_at, closed_at, used_at, lease_until)
    SELECT id, '${operator}', account_id, provider, 'Payee', 0, 86400, 'voucher', 'sealed', state, CASE WHEN state <> 'ordered' THEN 'Session' || i END, 1000000,
      CASE state WHEN 'settled' THEN 1000000 ELSE 0 END, CASE WHEN state <> 'ordered' THEN pg_temp.signature('o' || i) END, CASE state WHEN 'settled' THEN pg_temp.signature('e' || i) END, at,
      CASE WHEN state <> 'ordered' THEN at END, CASE WHEN state <> 'ordered' THEN at + interval '2 days' END, CASE state WHEN 'settled' THEN at END, now(), now() + interval '1 day'
    FROM (SELECT *, CASE WHEN opening <> 'settled' THEN 'ordered' WHEN is_open THEN 'open' ELSE 'settled' END AS state FROM load_openings WHERE NOT is_purse) AS opening ORDER BY i;
  INSERT INTO purses (id, operator_id, account_id, micro_usdc, returned_micro_usdc, expires_in_seconds, delegate_key, status, seq, open_signature, end_signature, created_at, opened_at, expires_at, closed_at, lease_until)
    SELECT id, '${operator}', account_id, 1000000, CASE status WHEN 'closed' THEN 1000000 ELSE 0 END, 900, 'Delegate' || i, status, CASE WHEN status <> 'ordered' THEN 5000000 + i END,
      CASE WHEN status <> 'ordered' THEN pg_temp.signature('o' || i) END, CASE status WHEN 'closed' THEN pg_temp.signature('e' || i) END, at, CASE WHEN status <> 'ordered' THEN at END,
      CASE WHEN status <> 'ordered' THEN at + interval '2 days' END, CASE status WHEN 'closed' THEN at END, now() + interval '1 day'
    FROM (SELECT *, CASE WHEN opening <> 'settled' THEN 'ordered' WHEN is_open THEN 'open' ELSE 'closed' END AS status FROM load_openings WHERE is_purse) AS opening ORDER BY i;
  INSERT INTO ledger_entries (id, operator_id, account_id, type, direction, micro_usdc, counterparty, signature, session_id, provider, created_at, settled_at)
    SELECT pg_temp.id('txn', age, 'c' || i), '${operator}', account_id, 'session_settlement', 'out', 0, 'Payee', pg_temp.signature('e' || i), id, provider, at, at
    FROM load_openings WHERE NOT is_purse AND opening = 'settled' AND NOT is_open ORDER BY i;
  INSERT INTO payments (id, operator_id, account_id, session_id, idempotency_key, active_idempotency_key, request_hash, mode, max_micro_usdc, provider, status, micro_usdc, category, payee,
      cumulative_micro_usdc, rejection_reason, response_status, created_at, sent_at, final_at, lease_until, method, protocol)
    SELECT pg_temp.id('pay', transfer.age, transfer.i::text), '${operator}', transfer.account_id, CASE status WHEN 'paid' THEN opening.id END, 'pay-' || transfer.i, 'pay-' || transfer.i, pg_temp.hash(transfer.i::text), 'pay',
      1000000, CASE WHEN transfer.i = 205 THEN 'https://rare.example.com' ELSE 'https://api' || transfer.i / 50 % 20 || '.example.com' END, status, 100, 'inference', 'Payee',
      CASE status WHEN 'paid' THEN 100 END, CASE status WHEN 'rejected' THEN 'max_amount' END, 200, transfer.at, CASE status WHEN 'unknown' THEN transfer.at END,
      CASE WHEN status <> 'unknown' THEN transfer.at END, CASE status WHEN 'unknown' THEN now() + interval '1 day' ELSE transfer.at END, CASE status WHEN 'paid' THEN 'voucher' END, CASE status WHEN 'paid' THEN 'mpp' END
    FROM (SELECT i, at, age, account_id, CASE WHEN i IN (110, 115) THEN 'unknown' WHEN i = 120 THEN 'paid_unreceipted' WHEN i % 100 = 0 THEN 'rejected' WHEN i % 10 = 0 THEN 'free' ELSE 'paid' END AS status
          FROM load_transfers WHERE i % 5 = 0) AS transfer
    LEFT JOIN load_openings opening ON opening.i = transfer.i / 100 * 100 + 50 ORDER BY transfer.i;
  INSERT INTO ledger_entries (id, operator_id, account_id, type, direction, micro_usdc, counterparty, category, signature, payment_id, provider, created_at, settled_at)
    SELECT pg_temp.id('txn', age, 'p' || i), '${operator}', account_id, 'transfer', 'out', 100, 'Payee', 'inference', pg_temp.signature('p' || i), pg_temp.id('pay', age, i::text), 'https://api' || i / 50 % 20 || '.example.com', at, at
    FROM load_transfers WHERE i % 25 = 5 ORDER BY i;
  UPDATE accounts SET read_ledger_entry = entries.newest, read_micro_usdc = entries.net - COALESCE(escrow.cap, 0), balance_micro_usdc = entries.net - COALESCE(escrow.cap, 0)
    FROM (SELECT account_id, max(id) AS newest, COALESCE(sum(CASE direction WHEN 'in' THEN micro_usdc ELSE -micro_usdc END) FILTER (WHERE type <> 'rejection'), 0) AS net FROM ledger_entries GROUP BY account_id) AS entries
    LEFT JOIN (SELECT account_id, sum(cap_micro_usdc) AS cap FROM sessions WHERE state = 'open' GROUP BY account_id) AS escrow USING (account_id) WHERE accounts.id = entries.account_id;

  INSERT INTO webhooks (id, operator_id, url, events, all_accounts, low_balance_threshold, threshold_since, status, secret_sealed, created_at, registered_at)
    SELECT pg_temp.id('wh', pg_temp.age(now()), n::text), '${operator}', 'https://receiver' || n || '.example.com', '{}', true, CASE WHEN n < 3 THEN 1000000 END, now(), 'active', 'sealed', now(), now() FROM generate_series(1, 10) AS n;
  INSERT INTO events (id, operator_id, account_id, sequence, type, data, created_at, recorded_at)
    SELECT pg_temp.id('evt', age, i::text), '${operator}', account_id, seq, CASE WHEN i IN (${Math.round(rows / 20)}) THEN 'session.cap_reached' WHEN status = 'rejected' THEN 'transfer.rejected' ELSE 'transfer.settled' END,
      jsonb_build_object('transfer_id', id, 'account_id', account_id, 'amount_usdc', '0.010000'), at, at
    FROM load_transfers ORDER BY i;
  INSERT INTO event_counters (account_id, last_sequence) SELECT account_id, max(seq) FROM load_transfers GROUP BY account_id;
  CREATE TEMP TABLE load_deliveries AS
    SELECT i, at, age, pg_temp.id('dlv', age, i::text) AS id, pg_temp.id('wh', pg_temp.age(now()), (CASE WHEN i % 10 = 0 THEN 1 ELSE 2 + i / 5 % 8 END)::text) AS webhook_id,
      CASE WHEN i = ${Math.round(rows / 20) * 5} OR i % 5000 = 0 THEN 'undelivered' WHEN i > ${rows} - 200 AND i % 10 = 0 THEN 'pending' ELSE 'delivered' END AS status
    FROM load_transfers WHERE i % 5 = 0;
  INSERT INTO webhook_deliveries (id, operator_id, webhook_id, event_id, status, attempts, failures, next_attempt_at, created_at)
    SELECT id, '${operator}', webhook_id, pg_temp.id('evt', age, i::text), status, 1, (status <> 'delivered')::int, CASE status WHEN 'pending' THEN now() + interval '1 day' END, at FROM load_deliveries ORDER BY i;
  INSERT INTO webhook_delivery_attempts (delivery_id, webhook_id, attempt, at, status_code, duration_ms, error, response_excerpt)
    SELECT id, webhook_id, 1, at, CASE status WHEN 'delivered' THEN 200 ELSE 500 END, 5, CASE WHEN status <> 'delivered' THEN 'HTTP 500' END, '' FROM load_deliveries ORDER BY i;
  INSERT INTO providers (operator_id, host, payee, categories, created_at, updated_at)
    SELECT '${operator}', 'api' || n || '.example.com', 'Payee', '[]', now() + n * interval '1 second', now() FROM generate_series(0, ${rows / 1000}) AS n`;

/** Indexes that belong to no constraint are built after the load, which is several times faster than to keep them up to date. */
async function withoutIndexes(client, work) {
  const { rows: indexes } = await client.query(`
    SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
    WHERE relnamespace = 'public'::regnamespace AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid)`);
  for (const { name } of indexes) await client.query(`DROP INDEX ${name}`);
  await work();
  for (const { definition } of indexes) await client.query(definition);
}

await migrate(url);
const client = new pg.Client({ connectionString: url });
await client.connect();
await client.query(FUNCTIONS);
const operator = options.operator ?? `op_${'0'.repeat(26)}`;
if (!options.operator)
  await client.query(`INSERT INTO operators (id, name, chain_key, chain_key_sealed) VALUES ($1, 'Large', 'Large', 'sealed')`, [operator]);
await client.query(
  `BEGIN; SET LOCAL session_replication_role = replica; SET LOCAL maintenance_work_mem = '256MB'; SET LOCAL work_mem = '64MB'; SET LOCAL synchronous_commit = off`,
);
await withoutIndexes(client, async () => {
  for (const statement of statements(operator).split(/;\n/)) await client.query(statement);
});
await client.query('COMMIT');
const { rows: sums } = await client.query(`SELECT 1 FROM pg_proc WHERE proname = 'rebuild_ledger_sums'`);
if (sums.length > 0) await client.query('SELECT rebuild_ledger_sums()');
await client.query('VACUUM (ANALYZE)');
const { rows: accounts } = await client.query(`SELECT id FROM load_accounts WHERE n <= ${DORMANT + 101} ORDER BY n`);
const [big, ...others] = accounts.map(({ id }) => id);
await client.end();
const loaded = JSON.stringify({ rows, operator, big, dormant: others.slice(0, DORMANT), busy: others.slice(DORMANT) });
if (options.measure) measure(loaded);
else console.log(loaded);

/** Runs the test of the lists and sweeps on the loaded database, and prints what each of them reads at most by one statement. */
function measure(loaded) {
  const jest = ['jest', '--config', 'jest.faults.config.js', 'test/scale/buffers'];
  const env = { ...process.env, MEASURED_DATABASE_URL: url, MEASURED_LOAD: loaded };
  const { stdout, status } = spawnSync('npx', jest, {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  });
  const table = JSON.parse(stdout.split('\n').find((line) => line.startsWith('[{')) ?? '[]');
  for (const { what, buffers, ms } of table.toSorted((one, other) => other.buffers - one.buffers))
    console.log(`${String(buffers).padStart(8)} buffers ${ms.toFixed(1).padStart(9)} ms  ${what}`);
  process.exitCode = status ?? 1;
}
