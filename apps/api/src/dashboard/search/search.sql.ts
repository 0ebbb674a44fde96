/** The SQL of the search: rows `id, matched, rank` of what a text finds, each part of which reads a bounded number of rows by an index. */
import { empty, join, raw, sql, type Sql } from '#database';

/** A text, and what it may mean. */
export interface Searched {
  operatorId: string;
  text: string;
  /** The operator and the words as a tsquery; null if the text has none. */
  words: string | null;
  /** The text as an amount; null if it is none. */
  microUsdc: string | null;
}

/** The most rows of one way to find them. */
const MAX_HITS = 10;
/** The most rows that are read to find words: of the newest, and of those that the index of words finds. */
const MAX_READ = 500;
/** The most providers of an operator that are searched. */
const MAX_PROVIDERS = 1_000;
const MAX_FOUND_PROVIDERS = 5;

/** Accounts by id, address and handle; by the beginning of a name; by the beginning of a word of a name. */
export function hitsOfAccounts({ operatorId, text, words }: Searched): Sql {
  const own = sql`operator_id = ${operatorId} AND state = 'open'`;
  const key = text.toLowerCase();
  return unionAll([
    hit('id', 0, sql`SELECT id FROM accounts WHERE ${own} AND id = ${text}`),
    hit('id', 0, sql`SELECT id FROM accounts WHERE ${own} AND chain_address = ${text}`),
    hit('id', 0, sql`SELECT id FROM accounts WHERE ${own} AND usdc_token_account = ${text}`),
    hit(
      'name',
      1,
      sql`SELECT id FROM accounts WHERE ${own} AND name_key >= ${key} AND name_key < ${key + LAST_CHARACTER} ORDER BY name_key, id
          LIMIT ${limit(MAX_HITS)}`,
    ),
    words === null
      ? undefined
      : hit(
          'name',
          2,
          wordsIn(sql`id`, sql`accounts`, sql`searched_words(operator_id, name_key) @@ ${words}::tsquery AND state = 'open'`, operatorId),
        ),
    hit(
      'name',
      3,
      sql`SELECT id FROM accounts WHERE ${own} AND handle >= ${key} AND handle < ${key + LAST_CHARACTER} ORDER BY handle
          LIMIT ${limit(MAX_HITS)}`,
    ),
  ]);
}

/** Transfers by id, key, reference, signature, recipient and amount, and by the words of their memos. */
export function hitsOfTransfers(searched: Searched): Sql {
  const { operatorId, text, words, microUsdc } = searched;
  const own = sql`operator_id = ${operatorId} AND kind = 'transfer'`;
  const newest = sql`ORDER BY id DESC LIMIT ${limit(MAX_HITS)}`;
  // Final orders have an index of each value, and the few others one of their own.
  const transfers = (condition: Sql): Sql =>
    sql`(SELECT id FROM orders WHERE ${own} AND ${condition} AND final_at IS NOT NULL ${newest})
        UNION ALL (SELECT id FROM orders WHERE ${own} AND ${condition} AND final_at IS NULL ${newest})`;
  return unionAll([
    hit('id', 0, sql`SELECT id FROM orders WHERE id = ${text} AND ${own}`),
    hit('idempotency_key', 1, sql`SELECT id FROM orders WHERE ${own} AND active_idempotency_key = ${text}`),
    hit(
      'idempotency_key',
      1,
      sql`SELECT id FROM orders WHERE ${own} AND active_idempotency_key IS NULL AND idempotency_key = ${text} ${newest}`,
    ),
    hit('reference', 1, transfers(sql`reference = ${text}`)),
    hit('signature', 1, sql`SELECT id FROM orders WHERE signature = ${text} AND ${own}`),
    hit(
      'signature',
      1,
      sql`SELECT orders.id FROM order_attempts JOIN orders ON orders.id = order_attempts.order_id
          WHERE order_attempts.signature = ${text} AND orders.operator_id = ${operatorId} AND orders.kind = 'transfer'`,
    ),
    hit(
      'counterparty',
      2,
      sql`SELECT paid.id FROM (${destinationsOf(searched)}) AS given
          CROSS JOIN LATERAL (${transfers(sql`destination = given.destination`)}) AS paid`,
    ),
    microUsdc === null ? undefined : hit('amount', 3, transfers(sql`micro_usdc = ${microUsdc}::bigint`)),
    ...(words === null ? [] : memos(operatorId, words)),
  ]);
}

/**
 * Transfers by the words of their memos: the newest, and those that wait, of the orders; the others of the ledger, if the index of words
 * is. Common words are found among the newest, and rare ones by the index.
 */
function memos(operatorId: string, words: string): Sql[] {
  const among = (rows: Sql): Sql =>
    sql`SELECT id FROM (SELECT id, operator_id, memo FROM orders WHERE operator_id = ${operatorId} AND kind = 'transfer' ${rows}
        ORDER BY id DESC LIMIT ${limit(MAX_READ)}) AS newest
        WHERE memo IS NOT NULL AND searched_words(operator_id, memo) @@ ${words}::tsquery LIMIT ${limit(MAX_HITS)}`;
  const inLedger = wordsIn(
    sql`transfer_id`,
    sql`ledger_entries`,
    sql`searched_words(operator_id, memo) @@ ${words}::tsquery AND memo IS NOT NULL AND direction = 'out' AND transfer_id IS NOT NULL`,
    operatorId,
  );
  return [hit('memo', 4, among(empty)), hit('memo', 4, among(sql`AND status = 'pending_approval'`)), hit('memo', 4, inLedger)];
}

/** The token accounts that a text names: itself, or those of the operator's account with this id, handle or address. */
function destinationsOf({ operatorId, text }: Searched): Sql {
  const own = sql`SELECT usdc_token_account AS destination FROM accounts WHERE operator_id = ${operatorId}`;
  return sql`SELECT ${text}::text AS destination UNION ${own} AND id = ${text} UNION ${own} AND handle = ${text}
      UNION ${own} AND chain_address = ${text}`;
}

/** Payments by id, key, reference, signature, session or purse, provider, payee and amount. */
export function hitsOfPayments({ operatorId, text, microUsdc }: Searched): Sql {
  const own = sql`operator_id = ${operatorId}`;
  const newest = sql`ORDER BY id DESC LIMIT ${limit(MAX_HITS)}`;
  return unionAll([
    hit('id', 0, sql`SELECT id FROM payments WHERE id = ${text} AND ${own}`),
    hit('id', 1, sql`SELECT id FROM payments WHERE session_id = ${text} AND ${own} ${newest}`),
    hit('id', 1, sql`SELECT id FROM payments WHERE purse_id = ${text} AND ${own} ${newest}`),
    hit('idempotency_key', 1, sql`SELECT id FROM payments WHERE ${own} AND active_idempotency_key = ${text}`),
    hit('idempotency_key', 1, sql`SELECT id FROM payments WHERE ${own} AND idempotency_key = ${text} AND final_at IS NOT NULL ${newest}`),
    hit('reference', 1, sql`SELECT id FROM payments WHERE ${own} AND reference = ${text} ${newest}`),
    hit('signature', 1, sql`SELECT id FROM payments WHERE signature = ${text} AND ${own} ${newest}`),
    hit(
      'counterparty',
      2,
      sql`SELECT made.id FROM (${providersLike(operatorId, text)}) AS given
          CROSS JOIN LATERAL (SELECT id FROM payments WHERE ${own} AND provider = given.provider ${newest}) AS made`,
    ),
    hit(
      'counterparty',
      2,
      sql`SELECT payment_id AS id FROM (SELECT payment_id FROM ledger_entries WHERE ${own} AND counterparty = ${text} ORDER BY id DESC
          LIMIT ${limit(MAX_READ)}) AS paid
          WHERE payment_id IS NOT NULL LIMIT ${limit(MAX_HITS)}`,
    ),
    ...(microUsdc === null
      ? []
      : [
          hit(
            'amount',
            3,
            sql`SELECT id FROM payments WHERE ${own} AND micro_usdc = ${microUsdc}::bigint AND final_at IS NOT NULL ${newest}`,
          ),
          hit(
            'amount',
            3,
            sql`SELECT id FROM (SELECT id, micro_usdc FROM payments WHERE ${own} AND status = 'unknown' ORDER BY id DESC
                LIMIT ${limit(MAX_READ)}) AS unresolved
                WHERE micro_usdc = ${microUsdc}::bigint LIMIT ${limit(MAX_HITS)}`,
          ),
        ]),
  ]);
}

/** The operator's providers whose address contains a text. They are read one by one by the index, whatever number of payments each has. */
function providersLike(operatorId: string, text: string): Sql {
  return sql`WITH RECURSIVE known (provider) AS (
      (SELECT provider FROM payments WHERE operator_id = ${operatorId} ORDER BY provider LIMIT 1)
      UNION ALL
      SELECT (SELECT provider FROM payments WHERE operator_id = ${operatorId} AND provider > known.provider ORDER BY provider LIMIT 1)
      FROM known WHERE known.provider IS NOT NULL)
    SELECT provider FROM (SELECT provider FROM known LIMIT ${limit(MAX_PROVIDERS)}) AS listed
    WHERE length(${text}::text) >= 3 AND position(lower(${text}::text) IN provider) > 0 LIMIT ${limit(MAX_FOUND_PROVIDERS)}`;
}

/**
 * Rows by an index of words. MATERIALIZED plans it for all rows that match, which takes that index, and LIMIT ends it early. Without it, the
 * planner may walk through all rows of the operator.
 */
function wordsIn(column: Sql, table: Sql, condition: Sql, operatorId: string): Sql {
  return sql`WITH found AS MATERIALIZED (SELECT ${column} AS id, operator_id FROM ${table} WHERE ${condition})
    SELECT id FROM (SELECT id FROM found WHERE operator_id = ${operatorId} LIMIT ${limit(MAX_READ)}) AS first_found ORDER BY id DESC
      LIMIT ${limit(MAX_HITS)}`;
}

function hit(matched: string, rank: number, rows: Sql): Sql {
  return sql`SELECT found.id, ${matched}::text AS matched, ${rank}::int AS rank FROM (${rows}) AS found`;
}

function unionAll(parts: (Sql | undefined)[]): Sql {
  return join(
    parts.filter((part) => part !== undefined),
    ' UNION ALL ',
  );
}

/** A bound as a literal: the planner knows it then, which it does not of a parameter. */
function limit(rows: number): Sql {
  return raw(String(rows));
}

/** Follows every character of a name or handle. */
const LAST_CHARACTER = '\u{10ffff}';
