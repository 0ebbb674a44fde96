import type { DataSource } from 'typeorm';

/** Inserts transfers that failed, with the idempotency keys `key-1`, `key-2`, …, without their account and their effects. */
export async function insertFailedOrders(database: DataSource, count: number, operatorId: string, accountId: string): Promise<void> {
  await database.query('ALTER TABLE orders DISABLE TRIGGER ALL');
  await database.query(
    `INSERT INTO orders (id, operator_id, account_id, kind, source, idempotency_key, active_idempotency_key, request_hash, recipient, destination,
       micro_usdc, status, approved, created_at, lease_until, metadata, final_at, failure)
     SELECT 'xfer_' || n, $1, $2, 'transfer', 'request', 'key-' || n, 'key-' || n, '', 'r', 'd', 1, 'failed', false, now(), now(), '{}', now(), '{}'
     FROM generate_series(1, $3::int) n`,
    [operatorId, accountId, count],
  );
  await database.query('ALTER TABLE orders ENABLE TRIGGER ALL');
}
