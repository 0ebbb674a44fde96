import { Check, IsOmittable, IsText, IsUsdcAmount, itself, IsOneOf, IsStatusFilter } from '../http/validation/checks';
import { MAX_IDEMPOTENCY_KEY } from '../http/headers';
import { pageQuery } from '../lists/pages';
import { type Metadata, ReferencedDto } from '../lists/references';
import { formatUsdc } from '../money/usdc';
import { type OpeningFacts, openingMembers, STATUS_BY_OPENING } from '../allowances';
import { CATEGORY } from '../policy';
import type { Purse, PurseKind } from './purse.entity';

/** The longest life of a channel purse: the program's bound. */
export const MAX_CHANNEL_PURSE_SECONDS = 691_200;
/** How many seconds a purse may live, and lives if the request does not say. The longest are the program's bounds. */
const LIFETIMES: Record<PurseKind, { min: number; max: number; usual: number }> = {
  // As long as a payment may take to land.
  allowance: { min: 60, max: 3_600, usual: 900 },
  // Grace periods of sellers, up to a day, end within it.
  channel: { min: 3_600, max: MAX_CHANNEL_PURSE_SECONDS, usual: 86_400 },
};
const KINDS = Object.keys(LIFETIMES) as PurseKind[];
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

/** Seconds that a purse of the request's kind may live. */
const IsLifetime = (): PropertyDecorator =>
  Check(
    (value, object) => {
      const { min, max } = LIFETIMES[(object as CreatePurseDto).kind ?? 'allowance'] ?? LIFETIMES.allowance;
      const isWithin = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
      return isWithin ? [] : [itself(`must be a whole number from ${min} to ${max}`)];
    },
    { type: 'integer', minimum: LIFETIMES.allowance.min, maximum: LIFETIMES.channel.max },
  );

/** The kind of purse that a request asks for. */
export const kindOf = ({ kind = 'allowance' }: CreatePurseDto): PurseKind => kind;

/** The seconds that a purse of a kind lives if its request does not say. */
export const usualSeconds = (kind: PurseKind): number => LIFETIMES[kind].usual;

export class CreatePurseDto extends ReferencedDto {
  /**
   * `allowance`, the default: a key that may move the amount, for x402 sellers of the scheme `exact`. `channel`: a key that holds the
   * amount, out of which channels to metered sellers are opened; any number an account.
   */
  @IsOmittable()
  @IsOneOf(KINDS)
  kind?: PurseKind;

  /** The account that pays, by its id or handle. */
  @IsText({ min: 1, max: MAX_ACCOUNT_ID })
  account_id: string;

  /** USDC, as a decimal string: the most that its payments may cost together. */
  @IsUsdcAmount()
  amount: string;

  /** The same key with the same parameters opens one purse. */
  @IsText({ min: 1, max: MAX_IDEMPOTENCY_KEY })
  idempotency_key: string;

  /** From its opening on, by the chain's clock: 60 to 3,600, by default 900; of a channel purse 3,600 to 691,200, by default 86,400. */
  @IsOmittable()
  @IsLifetime()
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
