/** Why an order failed: what is stored and shown, and which of the program's errors are about something else than the order. */
import type { Failure } from '#chain';
import { ACCOUNT_MISSING, isMissing } from '../../http/domain.errors';
import { lowerFirst } from '../../http/validation/text';
import { isPolicyReverted, POLICY_REVERTED } from './current-policy';
import type { Order, StoredFailure, StoredViolation } from '../order.entity';

export const CHAIN_AWAY: StoredFailure = {
  code: 'chain_unavailable',
  message: 'The chain cannot be reached right now. Nothing was sent: repeat the request with the same key.',
};
export const TOO_LATE: StoredFailure = {
  code: 'chain_unavailable',
  message: 'The chain did not take the transfer in time, and it can no longer land. Repeat the request with the same key.',
};
export const CROWDED: StoredFailure = {
  code: 'chain_unavailable',
  message: 'Too many transfers of this account are on their way. Nothing was sent: repeat the request with the same key.',
};
export const NONCE_TAKEN: StoredFailure = {
  code: 'conflict',
  message: 'The transfer that the seller had before landed first.',
};
export const NOT_LANDED: StoredViolation = {
  rule: 'provider_refused',
  message: 'The seller did not send the transfer while it could land. No money moved.',
};
export const PAID_BEFORE: StoredFailure = {
  code: 'conflict',
  message: 'The same request was executed before the database was restored. Repeat it with the same key to get its outcome.',
};

/** Program errors about the nonce, not about the order. */
export const NONCE_REASONS = new Set(['already_executed', 'seq_too_old', 'seq_too_far']);
/** Program errors about a key that was rotated, or a fleet that was joined or left, since the account was read. */
export const OUTDATED_REASONS = new Set(['wrong_authority', 'wrong_operator', 'fleet_missing', 'wrong_fleet', 'wrong_policy']);
/** Program errors about the destination. */
export const RECIPIENT_REASONS = new Set(['invalid_destination', 'destination_frozen', 'destination_is_source']);

/** A simulation's or a landed transaction's failure, as it is stored. */
export function storeFailure({ reason, detail }: Failure, { kind }: Pick<Order, 'kind'>): StoredFailure {
  if (isPolicyReverted({ reason })) return { code: 'chain_unavailable', message: POLICY_REVERTED };
  // A top-up names a session too, which may have ended.
  if (isMissing(reason) && kind !== 'top_up') return { code: 'chain_unavailable', message: ACCOUNT_MISSING };
  if (NONCE_REASONS.has(reason)) return CROWDED;
  if (RECIPIENT_REASONS.has(reason)) return { code: 'invalid_recipient', message: lowerFirst(detail) };
  return { code: 'conflict', message: `The chain refused this: ${lowerFirst(detail)}. No money moved.` };
}
