import { IsMoment, IsOmittable, IsText, IsUsdcAmount, IsStatusFilter } from '../http/validation/checks';
import { MAX_IDEMPOTENCY_KEY } from '../http/headers';
import { MAX_REFERENCE, ReferencedDto, referenceMembers, type Metadata } from '../lists/references';
import { formatUsdc } from '../money/usdc';
import { pageQuery } from '../lists/pages';
import { CATEGORY } from '../policy';
import { policyMember, type StoredViolation } from '../orders';
import type { Transfer } from './transfer';
import { IsLabelFilter } from '../accounts';

const MAX_MEMO = 200;
const MAX_REASON = 64;
/** Longer than any account id or address. */
const MAX_PARTY = 128;
const STATUSES = ['pending_approval', 'submitted', 'settled', 'rejected', 'failed'] as const;

export class CreateTransferDto extends ReferencedDto {
  /** The account that pays. */
  @IsText({ min: 1, max: MAX_PARTY })
  from: string;

  /** An account id or handle of the same operator, or the address of a USDC token account. */
  @IsText({ min: 1, max: MAX_PARTY })
  to: string;

  /** USDC, as a decimal string. */
  @IsUsdcAmount()
  amount: string;

  /** The same key with the same parameters executes once. A handle, an id and a token account are compared as what they resolve to. */
  @IsText({ min: 1, max: MAX_IDEMPOTENCY_KEY })
  idempotency_key: string;

  /** A note; its hash goes on chain. */
  @IsOmittable()
  @IsText({ max: MAX_MEMO })
  memo?: string;

  /** The purpose of the money, where the policy lists categories. */
  @IsOmittable()
  @IsText(CATEGORY)
  category?: string;
}

export class DenyTransferDto {
  /** The reason, shown to the requester. */
  @IsOmittable()
  @IsText({ max: MAX_MEMO })
  reason?: string;
}

export class ListTransfersQuery extends pageQuery({ of: 'tr' }) {
  @IsOmittable()
  @IsText({ min: 1, max: MAX_PARTY })
  account_id?: string;

  /** Only those of accounts that are in this fleet now. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_PARTY })
  fleet_id?: string;

  /** Only those of accounts that have this label. Given several times: all of them. */
  @IsLabelFilter()
  label?: string[];

  @IsOmittable()
  @IsStatusFilter(STATUSES)
  status?: (typeof STATUSES)[number];

  @IsOmittable()
  @IsText({ min: 1, max: MAX_IDEMPOTENCY_KEY })
  idempotency_key?: string;

  /** The recipient: an account id or handle of the same operator, or a token account. Finds its transfers whichever of them they named. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_PARTY })
  to?: string;

  @IsOmittable()
  @IsText(CATEGORY)
  category?: string;

  @IsOmittable()
  @IsText({ min: 1, max: MAX_REASON })
  rejection_reason?: string;

  /** Only transfers of at least this amount in USDC. */
  @IsOmittable()
  @IsUsdcAmount()
  min_amount?: string;

  @IsOmittable()
  @IsText({ max: MAX_REFERENCE })
  reference?: string;

  /** Only transfers created later than this moment. */
  @IsOmittable()
  @IsMoment()
  since?: string;

  /** Only transfers created up to this moment. */
  @IsOmittable()
  @IsMoment()
  until?: string;
}

/** A transfer, as the API shows it. What does not apply is absent. */
export interface TransferView {
  transfer_id: string;
  status: (typeof STATUSES)[number];
  from: string;
  to: string;
  amount_usdc: string;
  memo?: string;
  category?: string;
  /** Empty for a transfer that was found on chain after a restore of the database, until its request is repeated. */
  idempotency_key: string;
  reference?: string;
  metadata?: Metadata;
  /** The id of the API key that placed it. */
  created_by?: string;
  /** The id of the API key that approved it. */
  approved_by?: string;
  approved_at?: string;
  tx_signature?: string;
  chain_explorer_url?: string;
  created_at: string;
  settled_at?: string;
  approval?: { required_by: 'operator'; expires_at: string };
  rejection_reason?: string;
  denial_reason?: string;
  policy?: Omit<StoredViolation, 'message'>;
  failure_reason?: string;
  message?: string;
}

const SUBMITTED_MESSAGE =
  'The transfer is on its way and its outcome is not known yet: poll it, or repeat the same request with the same key.';

const PENDING_MESSAGE =
  'The transfer waits for an operator to approve it. Nothing was sent: poll it, or repeat the same request with the same key.';

export function transferView(transfer: Transfer, explorerUrl: (signature: string) => string): TransferView {
  const { signature, settledAt, approvalExpiresAt, violation, failure } = transfer;
  const status = transfer.status === 'created' ? 'submitted' : transfer.status;
  return {
    transfer_id: transfer.id,
    status,
    from: transfer.accountId,
    to: transfer.recipient,
    amount_usdc: formatUsdc(transfer.microUsdc),
    ...(transfer.memo !== null && { memo: transfer.memo }),
    ...(transfer.category !== null && { category: transfer.category }),
    idempotency_key: transfer.idempotencyKey ?? '',
    ...referenceMembers(transfer),
    ...(transfer.createdBy !== null && { created_by: transfer.createdBy }),
    ...(transfer.approvedBy !== null && { approved_by: transfer.approvedBy }),
    ...(transfer.approvedAt && { approved_at: transfer.approvedAt.toISOString() }),
    ...(signature !== null && { tx_signature: signature, chain_explorer_url: explorerUrl(signature) }),
    created_at: transfer.createdAt.toISOString(),
    ...(settledAt && { settled_at: settledAt.toISOString() }),
    ...(status === 'pending_approval' &&
      approvalExpiresAt && { approval: { required_by: 'operator' as const, expires_at: approvalExpiresAt.toISOString() } }),
    ...(transfer.rejectionReason !== null && { rejection_reason: transfer.rejectionReason }),
    ...(transfer.denialReason !== null && { denial_reason: transfer.denialReason }),
    ...(violation && { policy: policyMember(violation) }),
    ...(failure && { failure_reason: failure.message }),
    ...(status === 'submitted' && { message: SUBMITTED_MESSAGE }),
    ...(status === 'pending_approval' && { message: PENDING_MESSAGE }),
  };
}
