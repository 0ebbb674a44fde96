import { Check, IsOmittable, IsText, IsUsdcAmount, IsWholeNumber, itself, IsStatusFilter } from '../http/checks';
import { MAX_IDEMPOTENCY_KEY } from '../http/headers';
import { pageQuery } from '../lists/pages';
import { type Metadata, ReferencedDto } from '../lists/references';
import { formatUsdc } from '../money/usdc';
import { type OpeningFacts, openingMembers, STATUS_BY_OPENING } from '../allowances';
import { CATEGORY } from '../policy';
import type { Purse, PurseKind } from './purse.entity';

/** Seconds: as long as a payment may take to land, and the program's bound. */
const MIN_SECONDS = 60;
const MAX_SECONDS = 3_600;
/** Open for a quarter of an hour, unless the request says otherwise. */
export const DEFAULT_PURSE_SECONDS = 900;
const MAX_ACCOUNT_ID = 128;
const MAX_HOST = 261;
const MAX_REASON = 200;
const STATUSES = ['opening', 'pending_approval', 'open', 'closing', 'closed', 'rejected', 'failed'] as const;

/** The port of https, which URLs leave out. */
const DEFAULT_PORT = /:443$/;

/** A host as URLs write it, with or without a port. */
const IsHost = (): PropertyDecorator =>
  Check((value) => (typeof value === 'string' && isHost(value) ? [] : [itself('must be a host, such as api.example.com')]), {
    type: 'string',
    minLength: 1,
    maxLength: MAX_HOST,
  });

function isHost(text: string): boolean {
  const isShaped = text.length > 0 && text.length <= MAX_HOST && !/[/?#@\\\s]/.test(text);
  return isShaped && URL.canParse(`https://${text}/`) && new URL(`https://${text}/`).host === hostOf(text);
}

/** A host as origins have it: without the default port. */
export function hostOf(host: string): string {
  return host.replace(DEFAULT_PORT, '');
}

export class CreatePurseDto extends ReferencedDto {
  /** The account that pays, by its id or handle. */
  @IsText({ min: 1, max: MAX_ACCOUNT_ID })
  account_id: string;

  /** USDC, as a decimal string: the most that its payments may cost together. */
  @IsUsdcAmount()
  amount: string;

  /** The same key with the same parameters opens one purse. */
  @IsText({ min: 1, max: MAX_IDEMPOTENCY_KEY })
  idempotency_key: string;

  /** From its opening on, by the chain's clock. */
  @IsOmittable()
  @IsWholeNumber({ min: MIN_SECONDS, max: MAX_SECONDS })
  expires_in_seconds?: number;

  /** What the money is spent on, where the policy lists categories. */
  @IsOmittable()
  @IsText(CATEGORY)
  category?: string;

  /** The only host that it may pay. */
  @IsOmittable()
  @IsHost()
  host?: string;
}

export class DenyPurseDto {
  /** Shown to the requester. */
  @IsOmittable()
  @IsText({ max: MAX_REASON })
  reason?: string;
}

export class ListPursesQuery extends pageQuery({ of: 'purse' }) {
  @IsOmittable()
  @IsText({ min: 1, max: MAX_ACCOUNT_ID })
  account_id?: string;

  /** Only those of accounts that are in this fleet now. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_ACCOUNT_ID })
  fleet_id?: string;

  @IsOmittable()
  @IsStatusFilter(STATUSES)
  status?: PurseViewStatus;
}

/** `opening` and `failed` are those of an opening whose outcome is not known yet, or of which nothing was sent. */
export type PurseViewStatus = (typeof STATUSES)[number];

/** A payment channel of a channel purse. Amounts in USDC. */
export interface ChannelView {
  channel_address: string;
  /** The seller's origin. */
  seller: string;
  /** The owner that is paid. */
  payee: string;
  deposit_usdc: string;
  /** What the seller was paid; null until the channel is closed. */
  settled_usdc: string | null;
  status: 'opening' | 'open' | 'closing' | 'closed';
}

/** A purse, as the API shows it. Amounts in USDC; what is not known yet is null. */
export interface PurseView {
  purse_id: string;
  account_id: string;
  /** `allowance`: one delegate for many x402 payments. `channel`: a key that holds the amount, to open payment channels of metered sellers with. */
  kind: PurseKind;
  /** The payment that made it for itself. */
  payment_id: string | null;
  amount_usdc: string;
  /** Of payments that landed; exact once it is closed. */
  spent_usdc: string;
  /** Of the amount, the account's again. */
  returned_usdc: string;
  category: string | null;
  host: string | null;
  reference: string | null;
  metadata: Metadata;
  status: PurseViewStatus;
  opened_at: string | null;
  expires_at: string | null;
  closed_at: string | null;
  /** Of its end where it is closed, else of its opening. */
  tx_signature: string | null;
  created_at: string;
  /** Of one channel purse: its newest 100 channels, newest first. */
  channels?: ChannelView[];
  approval?: { required_by: 'operator'; expires_at: string };
  rejection_reason?: string;
  message?: string;
}

/** The next step, in a status that will change by itself. */
const MESSAGES: Partial<Record<PurseViewStatus, string>> = {
  opening: 'The outcome of the opening is not known yet: poll the purse, or repeat the same request with the same key.',
  pending_approval:
    'The purse waits for an operator to approve it. Nothing was sent: poll it, or repeat the same request with the same key.',
  closing: 'The purse is closing and pays nothing more: poll it until it is closed.',
};

export function purseView(purse: Purse, opening: OpeningFacts): PurseView {
  const status = purse.status === 'ordered' ? STATUS_BY_OPENING[opening.status] : purse.status;
  return {
    purse_id: purse.id,
    account_id: purse.accountId,
    kind: purse.kind,
    payment_id: purse.paymentId,
    amount_usdc: formatUsdc(purse.microUsdc),
    spent_usdc: formatUsdc(purse.spentMicroUsdc),
    returned_usdc: formatUsdc(purse.returnedMicroUsdc),
    category: purse.category,
    host: purse.host,
    reference: purse.reference,
    metadata: purse.metadata,
    status,
    opened_at: purse.openedAt?.toISOString() ?? null,
    expires_at: purse.expiresAt?.toISOString() ?? null,
    closed_at: purse.closedAt?.toISOString() ?? null,
    tx_signature: purse.endSignature ?? purse.openSignature,
    created_at: purse.createdAt.toISOString(),
    ...openingMembers(status, opening, MESSAGES[status]),
  };
}
