import { UNREFERENCED } from '../../lists/references';
import { logIds } from '../../runtime/observability/log-context';
import { currentTraceparent } from '../../runtime/observability/tracing';
import type { NewOrder, Order } from '../order.entity';

/** The columns of an order that was just asked for. */
export function newOrder(order: NewOrder, { now, leaseUntil }: { now: Date; leaseUntil: Date }): Order {
  const idempotencyKey = order.idempotencyKey ?? null;
  return {
    source: 'request',
    sessionId: null,
    recipient: null,
    destination: null,
    destinationAccountId: null,
    payee: null,
    delegateKey: null,
    category: null,
    createdBy: null,
    requestId: logIds().request_id ?? null,
    traceparent: currentTraceparent(),
    ...UNREFERENCED,
    ...order,
    memo: order.memo ?? null,
    idempotencyKey,
    activeIdempotencyKey: idempotencyKey,
    memoSalt: null,
    status: 'created',
    approved: false,
    approvedBy: null,
    approvedAt: null,
    approvalExpiresAt: null,
    waitingMac: null,
    approvalMac: null,
    seq: null,
    handedUntil: null,
    nonceOf: order.nonceOf ?? null,
    signature: null,
    rejectionReason: null,
    denialReason: null,
    violation: null,
    failure: null,
    createdAt: order.createdAt ?? now,
    submittedAt: null,
    settledAt: null,
    reversedAt: null,
    finalAt: null,
    leaseUntil,
  };
}
