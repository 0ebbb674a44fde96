import { IsMoment, IsOmittable, IsOneOf, IsText, IsStatusFilter } from '../../http/validation/checks';
import { pageQuery } from '../../lists/pages';
import { MAX_REFERENCE, type Metadata } from '../../lists/references';
import { LEDGER_ENTRY_TYPES, type LedgerEntry } from '../../ledger';
import { formatUsdc } from '../../money/usdc';
import { CATEGORY } from '../../policy';
import { IsLabelFilter } from '../accounts.dto';

const STATUSES = ['settled', 'rejected', 'all'] as const;
const MAX_PARTY = 128;

/** The query of one account's history. */
export class ListRecordsQuery extends pageQuery({ of: 'txn', size: 25 }) {
  @IsOmittable()
  @IsStatusFilter(STATUSES)
  status: (typeof STATUSES)[number] = 'all';

  @IsOmittable()
  @IsOneOf(LEDGER_ENTRY_TYPES)
  type?: LedgerEntry['type'];

  /** Only records later than this moment. */
  @IsOmittable()
  @IsMoment()
  since?: string;

  /** Only records up to this moment. */
  @IsOmittable()
  @IsMoment()
  until?: string;
}

/** The query of the records of all accounts. */
export class ListTransactionsQuery extends pageQuery({ of: 'txn' }) {
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
  @IsOneOf(LEDGER_ENTRY_TYPES)
  type?: LedgerEntry['type'];

  @IsOmittable()
  @IsStatusFilter(STATUSES)
  status: (typeof STATUSES)[number] = 'all';

  @IsOmittable()
  @IsText(CATEGORY)
  category?: string;

  /** An account id or an address, as records show it. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_PARTY })
  counterparty?: string;

  @IsOmittable()
  @IsText({ max: MAX_REFERENCE })
  reference?: string;

  /** Only records later than this moment. */
  @IsOmittable()
  @IsMoment()
  since?: string;

  /** Only records up to this moment. */
  @IsOmittable()
  @IsMoment()
  until?: string;
}

/** A ledger entry, as the API shows it. */
export interface RecordView {
  id: string;
  account_id: string;
  type: LedgerEntry['type'];
  status: 'settled' | 'rejected';
  amount_usdc: string;
  direction: 'in' | 'out';
  counterparty: string | null;
  memo: string | null;
  category: string | null;
  tx_signature: string | null;
  chain_explorer_url: string | null;
  rejection_reason: string | null;
  /** The transfer that moved the money, or was declined, where it is one of this operator. */
  transfer_id: string | null;
  payment_id: string | null;
  session_id: string | null;
  /** The channel purse, where a payment channel out of it was settled. */
  purse_id: string | null;
  /** The provider's origin, where a provider was paid. */
  provider: string | null;
  reference: string | null;
  metadata: Metadata;
  created_at: string;
  settled_at: string | null;
}

export function recordView(record: LedgerEntry, explorerUrl: (signature: string) => string): RecordView {
  return {
    id: record.id,
    account_id: record.accountId,
    type: record.type,
    status: record.type === 'rejection' ? 'rejected' : 'settled',
    amount_usdc: formatUsdc(record.microUsdc),
    direction: record.direction,
    counterparty: record.counterparty,
    memo: record.memo,
    category: record.category,
    tx_signature: record.signature,
    chain_explorer_url: record.signature === null ? null : explorerUrl(record.signature),
    rejection_reason: record.rejectionReason,
    transfer_id: record.transferId,
    payment_id: record.paymentId,
    session_id: record.sessionId,
    purse_id: record.purseId,
    provider: record.provider,
    reference: record.reference,
    metadata: record.metadata,
    created_at: record.createdAt.toISOString(),
    settled_at: record.settledAt?.toISOString() ?? null,
  };
}
