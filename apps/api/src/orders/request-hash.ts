import { createHash } from 'node:crypto';
import type { Order } from './order.entity';
import { IdempotencyConflict } from './orders.errors';

/** The SHA-256 digest of the parameters that a repeated request must have in common with the first one. Amounts are in micro-USDC. */
export function hashOfRequest(parameters: (string | number | null)[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parameters)).digest();
}

/** @throws IdempotencyConflict where the order that holds the key was requested with other parameters. */
export function requireSameRequest(order: Order, requestHash: Buffer): void {
  if (!order.requestHash.equals(requestHash)) throw new IdempotencyConflict(order);
}
