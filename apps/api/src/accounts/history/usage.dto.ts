import { IsMoment, IsOmittable, IsOneOf, IsText } from '../../http/validation/checks';
import { USAGE_GROUP_NAMES, type UsageGroup } from '../../ledger';
import { IsLabelFilter } from '../accounts.dto';

const MAX_ACCOUNT_ID = 128;

const USAGE_GROUPS = [...USAGE_GROUP_NAMES, 'label', 'fleet'] as const;

export class UsageQuery {
  @IsOneOf(USAGE_GROUPS)
  group_by: UsageGroup | 'label' | 'fleet';

  @IsOmittable()
  @IsText({ min: 1, max: MAX_ACCOUNT_ID })
  account_id?: string;

  /** Only those of accounts that are in this fleet now. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_ACCOUNT_ID })
  fleet_id?: string;

  /** Only those of accounts that have this label. Given several times: all of them. */
  @IsLabelFilter()
  label?: string[];

  /** Only records later than this moment. */
  @IsOmittable()
  @IsMoment()
  since?: string;

  /** Only records up to this moment. */
  @IsOmittable()
  @IsMoment()
  until?: string;
}

/** The usage of all groups together. Amounts in USDC. */
export interface UsageTotalView {
  /** Money that left the accounts: transfers, payments and session settlements. */
  settled_usdc: string;
  settled_count: number;
  rejected_count: number;
}

/** The usage of one group. */
export interface UsageView extends UsageTotalView {
  /** An account id, an origin, a category, a day of UTC such as 2030-01-31, a reason, or a label; null for the records that have none. */
  group: string | null;
}
