import { type OpeningFacts, openingMembers, STATUS_BY_OPENING } from '../allowances';
import { IsOmittable, IsText, IsUsdcAmount, IsWholeNumber, IsStatusFilter } from '../http/validation/checks';
import { MAX_IDEMPOTENCY_KEY } from '../http/headers';
import { type Metadata, ReferencedDto } from '../lists/references';
import { formatUsdc } from '../money/usdc';
import { pageQuery } from '../lists/pages';
import { CATEGORY } from '../policy';
import type { Session } from './session.entity';

/** The program's bounds, in seconds. */
const MIN_SECONDS = 60;
const MAX_SECONDS = 2_592_000;
const MAX_GRACE_SECONDS = 86_400;
/** Open for a day, unless the order says otherwise. */
export const DEFAULT_EXPIRY_SECONDS = 86_400;
const MAX_ACCOUNT_ID = 128;
const MAX_ORIGIN = 2_048;
const MAX_ADDRESS = 64;
const MAX_REASON = 200;
const STATUSES = ['opening', 'pending_approval', 'open', 'closing', 'settled', 'rejected', 'failed'] as const;

export class CreateSessionDto extends ReferencedDto {
  /** The account whose money is set aside, by its id or handle. */
  @IsText({ min: 1, max: MAX_ACCOUNT_ID })
  account_id: string;

  /** The provider's origin, such as https://api.example.com. */
  @IsText({ min: 1, max: MAX_ORIGIN })
  provider: string;

  /** Owner of the token account that is paid. */
  @IsText({ min: 1, max: MAX_ADDRESS })
  payee: string;

  /** USDC, as a decimal string: the most that the session may cost. */
  @IsUsdcAmount()
  cap: string;

  /** The same key with the same parameters opens one session. */
  @IsText({ min: 1, max: MAX_IDEMPOTENCY_KEY })
  idempotency_key: string;

  /** The purpose of the money, where the policy lists categories. */
  @IsOmittable()
  @IsText(CATEGORY)
  category?: string;

  /** From its opening on, by the chain's clock. */
  @IsOmittable()
  @IsWholeNumber({ min: MIN_SECONDS, max: MAX_SECONDS })
  expires_in_seconds?: number;

  /** How long the payee may still settle after a closing. */
  @IsOmittable()
  @IsWholeNumber({ min: 0, max: MAX_GRACE_SECONDS })
  grace_seconds?: number;
}

export class TopUpSessionDto {
  /** USDC to add to the cap, as a decimal string. */
  @IsUsdcAmount()
  amount: string;

  /** The same key with the same parameters tops up once. */
  @IsText({ min: 1, max: MAX_IDEMPOTENCY_KEY })
  idempotency_key: string;
}

export class DenySessionDto {
  /** The reason, shown to the requester. */
  @IsOmittable()
  @IsText({ max: MAX_REASON })
  reason?: string;
}

export class ListSessionsQuery extends pageQuery({ of: 'sess' }) {
  @IsOmittable()
  @IsText({ min: 1, max: MAX_ACCOUNT_ID })
  account_id?: string;

  /** Only those of accounts that are in this fleet now. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_ACCOUNT_ID })
  fleet_id?: string;

  @IsOmittable()
  @IsStatusFilter(STATUSES)
  status?: SessionStatus;
}

/** `opening` and `failed` are those of an opening whose outcome is not known yet, or of which nothing was sent. */
export type SessionStatus = (typeof STATUSES)[number];

/** A session, as the API shows it. Amounts in USDC; what is not known yet is null. */
export interface SessionView {
  session_id: string;
  account_id: string;
  provider: string;
  payee: string;
  category: string | null;
  reference: string | null;
  metadata: Metadata;
  cap_usdc: string;
  /** The cumulative amount that the provider accepted. */
  running_total_usdc: string;
  /** Paid to the payee on chain. */
  settled_usdc: string;
  /** Of the cap, the account's again. */
  returned_usdc: string;
  status: SessionStatus;
  grace_seconds: number;
  opened_at: string | null;
  expires_at: string | null;
  closed_at: string | null;
  /** Of its end where it is over, else of its opening. */
  tx_signature: string | null;
  created_at: string;
  /** Where it sits on chain. */
  channel_id: string | null;
  approval?: { required_by: 'operator'; expires_at: string };
  rejection_reason?: string;
  message?: string;
}

export function sessionView(session: Session, opening: OpeningFacts): SessionView {
  const status = session.state === 'ordered' ? STATUS_BY_OPENING[opening.status] : session.state;
  return {
    session_id: session.id,
    account_id: session.accountId,
    provider: session.provider,
    payee: session.payee,
    category: session.category,
    reference: session.reference,
    metadata: session.metadata,
    cap_usdc: formatUsdc(session.capMicroUsdc),
    running_total_usdc: formatUsdc(session.acceptedMicroUsdc),
    settled_usdc: formatUsdc(session.settledMicroUsdc),
    returned_usdc: formatUsdc(session.returnedMicroUsdc),
    status,
    grace_seconds: session.graceSeconds,
    opened_at: session.openedAt?.toISOString() ?? null,
    expires_at: session.expiresAt?.toISOString() ?? null,
    closed_at: session.closedAt?.toISOString() ?? null,
    tx_signature: session.endSignature ?? session.openSignature,
    created_at: session.createdAt.toISOString(),
    channel_id: session.address,
    ...openingMembers(status, opening, messageOf(status)),
  };
}

/** The next step, in a state that will change by itself. */
export function messageOf(status: SessionStatus): string | undefined {
  switch (status) {
    case 'opening':
      return 'The session is on its way and its outcome is not known yet: poll it, or repeat the same request with the same key.';
    case 'pending_approval':
      return 'It waits for an operator to approve it. Nothing was sent: poll the session, or repeat the same request with the same key.';
    case 'closing':
      return 'The session is closing and pays nothing more: poll it until it is settled.';
    default:
      return undefined;
  }
}
