/** Writes a long history of transfers and payments into a database, for tests and benchmarks of lists and of the search. */
import { firstIdAt } from '#database';

/** Runs one statement. */
export type Query = (text: string, values: unknown[]) => Promise<unknown>;

export interface HistorySize {
  operatorId: string;
  /** The accounts that pay each other. */
  accountIds: string[];
  transfers: number;
  payments: number;
  /** When the newest row was made. Default: now. */
  until?: Date;
  /** Whether every 500th transfer waits for approval. Default: true. */
  isWaiting?: boolean;
}

/** Each row is this much older than the next. */
const SPACING_MS = 20_000;
const BATCH = 10_000;
const CATEGORIES = ['inference', 'data', 'search', 'agent-reward'];
const HOSTS = ['api.example.com', 'search.example.com', 'data.example.org', 'images.example.net'];
const REASONS = ['max_single_transfer', 'max_daily_spend', 'categories', 'insufficient_balance'];
const MEMOS = ['market data', 'embeddings for the index', 'web search', 'training run', 'image generation', 'weekly report'];

/** Settled transfers with their ledger entries, every 20th declined and, with `isWaiting`, every 500th waiting for approval, and payments by session. */
export async function fillHistory(
  query: Query,
  { operatorId, accountIds, transfers, payments, until = new Date(), isWaiting = true }: HistorySize,
): Promise<void> {
  const at = (age: number): Date => new Date(until.getTime() - age * SPACING_MS);
  for (let from = 0; from < transfers; from += BATCH) {
    const ages = Array.from({ length: Math.min(BATCH, transfers - from) }, (_, index) => from + index);
    const ids = ages.map((age) => firstIdAt('tr', at(age)));
    const entryIds = ages.map((age) => firstIdAt('txn', at(age)));
    await query(ORDERS, [ids, entryIds, operatorId, accountIds, CATEGORIES, REASONS, MEMOS, from, until, SPACING_MS / 1000, isWaiting]);
  }
  for (let from = 0; from < payments; from += BATCH) {
    const ids = Array.from({ length: Math.min(BATCH, payments - from) }, (_, index) => firstIdAt('pay', at(from + index)));
    await query(PAYMENTS, [ids, operatorId, accountIds, CATEGORIES, HOSTS, from, until, SPACING_MS / 1000]);
  }
  for (const table of ['orders', 'ledger_entries', 'payments', 'accounts']) await query(`ANALYZE ${table}`, []);
}

/** The element of an array parameter for a row. */
const pick = (parameter: string): string => `(${parameter}::text[])[1 + n % cardinality(${parameter}::text[])]`;

const ORDERS = `
  WITH given AS (
    SELECT id, entry_id, $8::int + index - 1 AS n, $9::timestamptz - ($8::int + index - 1) * make_interval(secs => $10) AS at
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS given (id, entry_id, index)),
  made AS (
    SELECT *, ${pick('$4')} AS account_id, ($4::text[])[1 + (n + 1 + n / 7) % cardinality($4::text[])] AS other,
      (1 + n % 997) * 10000 + n % 3 AS amount, ${pick('$5')} AS category, ${pick('$7')} || ' #' || n AS memo,
      CASE WHEN $11::boolean AND n % 500 = 7 THEN 'pending_approval' WHEN n % 20 = 3 THEN 'rejected' ELSE 'settled' END AS status,
      CASE WHEN n % 20 = 3 THEN ${pick('$6')} END AS reason FROM given),
  ordered AS (
    INSERT INTO orders (id, operator_id, account_id, kind, source, idempotency_key, request_hash, recipient, destination, destination_account_id,
      micro_usdc, memo, memo_salt, category, reference, status, signature, rejection_reason, created_at, settled_at, final_at, approval_expires_at, lease_until)
    SELECT made.id, $3, account_id, 'transfer', 'request', 'key-' || n, '', other, accounts.usdc_token_account, other, amount, memo, '\\x00', category, 'INV-' || n, status,
      CASE status WHEN 'settled' THEN 'signature' || made.id END, reason, at, CASE status WHEN 'settled' THEN at END,
      CASE WHEN status <> 'pending_approval' THEN at END, CASE status WHEN 'pending_approval' THEN now() + interval '1 day' END, at
    FROM made JOIN accounts ON accounts.id = other)
  INSERT INTO ledger_entries (id, operator_id, account_id, type, direction, micro_usdc, counterparty, memo, category, reference, signature, order_id, transfer_id,
    rejection_reason, created_at, settled_at)
  SELECT entry_id, $3, account_id, CASE status WHEN 'settled' THEN 'transfer' ELSE 'rejection' END, 'out', amount, other, memo, category, 'INV-' || n,
    CASE status WHEN 'settled' THEN 'signature' || id END, NULL, id, reason, at, CASE status WHEN 'settled' THEN at END
  FROM made WHERE status <> 'pending_approval'`;

const PAYMENTS = `
  WITH made AS (
    SELECT id, $6::int + index - 1 AS n, $7::timestamptz - ($6::int + index - 1) * make_interval(secs => $8) AS at
    FROM unnest($1::text[]) WITH ORDINALITY AS given (id, index))
  INSERT INTO payments (id, operator_id, account_id, idempotency_key, request_hash, mode, max_micro_usdc, micro_usdc, provider, category, status, rejection_reason,
    protocol, method, request_method, request_url, reference, created_at, final_at, lease_until)
  SELECT id, $2, ${pick('$3')}, 'pay-key-' || n, '', 'pay', 1000000, 1000 + n % 997, 'https://' || ${pick('$5')},
    ${pick('$4')}, CASE WHEN n % 10 = 3 THEN 'rejected' ELSE 'paid' END, CASE WHEN n % 10 = 3 THEN 'max_amount' END, 'mpp', 'voucher', 'GET', 'https://' || ${pick('$5')} || '/v1/items/' || n,
    'CALL-' || n, at, at, at
  FROM made`;
