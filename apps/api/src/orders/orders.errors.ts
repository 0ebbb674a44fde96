import type { ErrorCode } from '../http/answers';
import { type Caller, covers } from '../http/caller';
import { ChainUnavailable, Conflict, DomainError } from '../http/domain.errors';
import { TooManyAtOnce } from '../http/limits/rate-limit';
import type { StoredFailure, StoredViolation, Order } from './order.entity';
import { policyMember } from './processing/violations';

/** An operator decides in minutes at best. */
const PENDING_RETRY_SECONDS = 60;

/** The key was used with other parameters. Names the order, if it is known, only to a caller that may see it. */
export class IdempotencyConflict extends DomainError {
  constructor(order: Pick<Order, 'kind' | 'id' | 'sessionId' | 'accountId'> | null, caller?: Pick<Caller, 'accountIds'>) {
    super({
      code: 'idempotency_conflict',
      status: 409,
      message: 'This idempotency_key was used with other parameters.',
      details: order && caller && covers(caller, order.accountId) ? nameOf(order) : {},
    });
  }
}

/** The order that waits for an approval is not as it was asked for: the database was written to directly. */
export class OrderChanged extends Conflict {
  constructor() {
    super(
      'It was changed in the database while it waited, or was written there by another. It cannot be approved: deny it.',
      'pending_approval',
    );
  }
}

/** The account has the most orders that may wait for approval. Nothing was stored. */
export class TooManyPending extends TooManyAtOnce {
  constructor(most: number) {
    super(
      `${most} orders of the account wait for approval: no other may wait until one is approved, denied or expires.`,
      PENDING_RETRY_SECONDS,
    );
  }
}

/** The transactions of the account's orders have cost their budget in 24 hours. Nothing was stored. */
export class FeeBudgetExceeded extends DomainError {
  constructor(seconds: number) {
    const message = 'The account’s transactions have cost what they may in 24 hours (FEE_BUDGET_PER_ACCOUNT). Nothing was sent.';
    super({ code: 'fee_budget_exceeded', status: 429, message, headers: { 'Retry-After': String(seconds) } });
  }
}

/** The recipient can receive no USDC. */
export class InvalidRecipient extends DomainError {
  constructor(reason: string, details: Record<string, unknown> = {}) {
    super({ code: 'invalid_recipient', status: 422, message: `The recipient cannot receive USDC: ${reason}.`, details });
  }
}

/** Denied by an operator, or not approved in time. */
const UNAPPROVED_MESSAGES: Record<string, string> = {
  denied: 'An operator denied it.',
  approval_expired: 'It was not approved in time.',
};

/** Rejected: a policy violation, a denial, or the payer's own conditions. `name` is the member that names what was rejected. */
export class Rejected extends DomainError {
  constructor(
    name: Record<string, unknown>,
    { reason, message, violation }: { reason: string; message?: string; violation: StoredViolation | null },
    headers: Record<string, string> = {},
  ) {
    super({
      code: codeOf(reason),
      status: 402,
      message: message ?? violation?.message ?? UNAPPROVED_MESSAGES[reason] ?? 'It was declined.',
      details: { ...name, status: 'rejected', rejection_reason: reason, ...(violation && { policy: policyMember(violation) }) },
      headers: { ...headers, ...retryAfter(violation) },
    });
  }
}

/** @throws Rejected for an order that was rejected, and the error of one that failed. */
export function requireNoDecline(order: Order, headers: Record<string, string>): void {
  const { status, rejectionReason, violation, failure } = order;
  if (status === 'rejected') throw new Rejected(nameOf(order), { reason: rejectionReason ?? '', violation }, headers);
  if (status === 'failed' && failure) throw failureError(nameOf(order), failure);
}

/** The member of an answer that names an order. */
function nameOf({ id, kind, sessionId }: Pick<Order, 'id' | 'kind' | 'sessionId'>): Record<string, string> {
  if (kind === 'purse' || kind === 'channel_purse') return { purse_id: id };
  return sessionId === null ? { transfer_id: id } : { session_id: sessionId };
}

function codeOf(reason: string): ErrorCode {
  if (reason === 'paused') return 'account_paused';
  return reason === 'insufficient_balance' ? 'insufficient_balance' : 'policy_violation';
}

function retryAfter(violation: StoredViolation | null): Record<string, string> {
  return violation?.available_at ? { 'Retry-After': new Date(violation.available_at).toUTCString() } : {};
}

/** The error of an order that failed without a policy violation. */
export function failureError(name: Record<string, string>, failure: StoredFailure): DomainError {
  const details = { ...name, status: 'failed' };
  switch (failure.code) {
    case 'chain_unavailable':
      return new ChainUnavailable(failure.message, details);
    case 'invalid_recipient':
      return new InvalidRecipient(failure.message, details);
    case 'conflict':
      return new OrderFailed(failure.message, name);
  }
}

/** The chain refused for a reason that is not a rule: for example, the source is frozen. */
class OrderFailed extends Conflict {
  constructor(message: string, name: Record<string, string>) {
    super(message, 'failed');
    Object.assign(this, { details: { ...this.details, ...name } });
  }
}
