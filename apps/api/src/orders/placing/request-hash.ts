import { createHash, createHmac } from 'node:crypto';
import type { Caller } from '../../http/caller';
import type { Order } from '../order.entity';
import { IdempotencyConflict } from '../orders.errors';

/** The SHA-256 digest of the parameters that a repeated request must have in common with the first one. Amounts are in micro-USDC. */
export function hashOfRequest(parameters: (string | number | null)[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parameters)).digest();
}

/** The HMAC of a memo, which goes on chain in its place; null for a memo that is blank. */
export function hashOfMemo(memo: string | null, salt: Buffer): Buffer | null {
  return memo === null || memo.trim() === '' ? null : createHmac('sha256', salt).update(memo).digest();
}

/** @throws IdempotencyConflict if the order that holds the key was requested with other parameters. It names an order that the caller may see. */
export function requireSameRequest(order: Order, requestHash: Buffer, caller: Pick<Caller, 'accountIds'>): void {
  if (!order.requestHash.equals(requestHash)) throw new IdempotencyConflict(order, caller);
}
