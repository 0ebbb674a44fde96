import { ChainUnavailable, Conflict, DomainError } from '../http/domain.errors';
import type { StoredFailure, StoredRefusal, Transfer } from './transfer.entity';
import { policyMember } from './transfers.dto';

/** The key was used with other parameters. */
export class IdempotencyConflict extends DomainError {
  constructor(transferId: string) {
    super({ code: 'idempotency_conflict', status: 409, message: 'This idempotency_key was used with other parameters.', details: { transfer_id: transferId } });
  }
}

/** The recipient can receive no USDC. */
export class InvalidRecipient extends DomainError {
  constructor(reason: string, details: Record<string, unknown> = {}) {
    super({ code: 'invalid_recipient', status: 422, message: `The recipient cannot receive USDC: ${reason}.`, details });
  }
}

/** An operator said no, or nobody said anything in time. */
const UNAPPROVED_MESSAGES: Record<string, string> = {
  denied: 'An operator denied this transfer.',
  approval_expired: 'Nobody approved this transfer in time.',
};

/** A rule said no, or an operator did. */
export class TransferRejected extends DomainError {
  constructor(transfer: Transfer, headers: Record<string, string>) {
    const reason = transfer.rejectionReason ?? '';
    const { refusal } = transfer;
    super({
      code: codeOf(reason),
      status: 402,
      message: refusal?.message ?? UNAPPROVED_MESSAGES[reason] ?? 'The transfer was rejected.',
      details: { transfer_id: transfer.id, status: 'rejected', rejection_reason: reason, ...(refusal && { policy: policyMember(refusal) }) },
      headers: { ...headers, ...retryAfter(refusal) },
    });
  }
}

function codeOf(reason: string): string {
  if (reason === 'paused') return 'account_paused';
  return reason === 'insufficient_balance' ? 'insufficient_balance' : 'policy_violation';
}

function retryAfter(refusal: StoredRefusal | null): Record<string, string> {
  return refusal?.available_at ? { 'Retry-After': new Date(refusal.available_at).toUTCString() } : {};
}

/** The error of a transfer that failed without a rule's saying so. */
export function failureError(transfer: Transfer, failure: StoredFailure): DomainError {
  const details = { transfer_id: transfer.id, status: 'failed' };
  switch (failure.code) {
    case 'chain_unavailable':
      return new ChainUnavailable(failure.message, details);
    case 'invalid_recipient':
      return new InvalidRecipient(failure.message, details);
    case 'conflict':
      return new TransferFailed(failure.message, transfer.id);
  }
}

/** The chain refused for a reason that is no rule: the source is frozen, say. */
class TransferFailed extends Conflict {
  constructor(message: string, transferId: string) {
    super(message, 'failed');
    Object.assign(this, { details: { ...this.details, transfer_id: transferId } });
  }
}
