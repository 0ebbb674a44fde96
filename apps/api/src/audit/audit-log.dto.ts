import { IsMoment, IsOmittable, IsOneOf, IsText } from '../http/validation/checks';
import { keysetQuery } from '../lists/pages';

/** The recorded action: the object's kind, and its change. */
export const AUDIT_ACTIONS = [
  'account.created',
  'account.changed',
  'account.hosts_changed',
  'account.closed',
  'account.swept',
  'account.fleet_changed',
  'authority_key.rotated',
  'policy.changed',
  'policy.ended',
  'fleet.created',
  'fleet.changed',
  'fleet.policy_changed',
  'fleet.limits_changed',
  'fleet.closed',
  'operator.created',
  'operator_key.rotated',
  'operator_key.handed_over',
  'api_key.created',
  'api_key.revoked',
  'dashboard.signed_in',
  'dashboard.signed_out',
  'webhook.created',
  'webhook.changed',
  'webhook.deleted',
  'webhook.secret_rotated',
  'provider.pinned',
  'provider.unpinned',
  'catalogues.changed',
  'transfer.approved',
  'transfer.denied',
  'session.approved',
  'session.denied',
  'top_up.approved',
  'top_up.denied',
  'purse.approved',
  'purse.denied',
  'accounts.bulk',
  'job.cancelled',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

const MAX_ID_CHARACTERS = 64;
/** The longest host of a provider. */
const MAX_OBJECT_CHARACTERS = 261;

/** Entries are listed by their position in the chain. */
const POSITION = /^[1-9]\d{0,17}$/;

export class ListAuditLogQuery extends keysetQuery((key) => POSITION.test(key)) {
  /** Only entries later than this moment. */
  @IsOmittable()
  @IsMoment()
  since?: string;

  /** Only entries not later than this moment. */
  @IsOmittable()
  @IsMoment()
  until?: string;

  /** The id of the API key that made the change. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_ID_CHARACTERS })
  actor?: string;

  @IsOmittable()
  @IsOneOf([...AUDIT_ACTIONS])
  action?: string;

  /** The id of what was changed; the host of a provider. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_OBJECT_CHARACTERS })
  object?: string;
}

/** An entry of the audit log, as the API shows it. */
export interface AuditEntryView {
  id: string;
  at: string;
  /** Who did it. `service`: the command line on the server, which needs no API key. */
  actor: { type: 'operator' | 'agent' | 'service'; key_id: string | null };
  action: AuditAction;
  /** The id of what was changed; the host of a provider. */
  object: string;
  /** The changed fields before. Null for a new object. */
  before: Record<string, unknown> | null;
  /** The changed fields after. Null for a removed object. */
  after: Record<string, unknown> | null;
  /** Of the request that made the change, as its response's `X-Request-Id`. */
  request_id: string | null;
  /** The address that the request came from. */
  ip: string | null;
  /** SHA-256, in hexadecimal, of the canonical JSON (RFC 8785) of this object without `hash`. */
  hash: string;
  /** The hash of the entry before. Null for the operator's first. */
  previous_hash: string | null;
}
