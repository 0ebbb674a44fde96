/** Orders for specs. Not part of the build. */
import { idOf } from '#database';
import { newOrder } from './placing/order-draft';
import type { Order } from './order.entity';

/** 00:00 UTC, a whole number of seconds: easy to read in an expectation. */
export const CREATED_AT = new Date('2026-03-01T00:00:00.000Z');

/** An order to transfer 1 USDC that nothing has happened to, with `changes`. */
export function anOrder(changes: Partial<Order> = {}): Order {
  const asked = {
    id: idOf('tr', Buffer.alloc(16, 1)),
    operatorId: 'op_1',
    kind: 'transfer' as const,
    accountId: 'acct_payer',
    idempotencyKey: 'key-1',
    requestHash: Buffer.alloc(32),
    recipient: 'TokenAccount',
    destination: 'TokenAccount',
    microUsdc: 1_000_000n,
  };
  return { ...newOrder(asked, { now: CREATED_AT, leaseUntil: CREATED_AT }), ...changes };
}

/** An order to open a session with a cap of 1 USDC, with `changes`. */
export function anOpening(changes: Partial<Order> = {}): Order {
  const id = idOf('sess', Buffer.alloc(16, 2));
  return anOrder({ id, kind: 'session', sessionId: id, recipient: null, destination: null, payee: 'Payee', ...changes });
}

/** An order to charge 1 USDC, with `changes`. */
export function aCharge(changes: Partial<Order> = {}): Order {
  const charge = { kind: 'charge', recipient: null, destination: null, idempotencyKey: null, activeIdempotencyKey: null } as const;
  return anOrder({ id: idOf('chg', Buffer.alloc(16, 3)), ...charge, payee: 'Payee', delegateKey: 'Delegate', ...changes });
}
