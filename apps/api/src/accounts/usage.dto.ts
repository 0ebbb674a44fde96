import { IsMoment, IsOmittable, IsOneOf, IsText } from '../http/checks';
import { USAGE_GROUP_NAMES, type UsageGroup } from '../ledger';

const MAX_ACCOUNT_ID = 128;

export class UsageQuery {
  @IsOneOf(USAGE_GROUP_NAMES)
  group_by: UsageGroup;

  @IsOmittable()
  @IsText({ min: 1, max: MAX_ACCOUNT_ID })
  account_id?: string;

  /** Only records later than this moment. */
  @IsOmittable()
  @IsMoment()
  since?: string;

  /** Only records up to this moment. */
  @IsOmittable()
  @IsMoment()
  until?: string;
}

/** The usage of one group. Amounts in USDC. */
export interface UsageView {
  /** An account id, an origin, a category, a day of UTC such as 2030-01-31, or a reason; null for the records that have none. */
  group: string | null;
  /** What left the accounts: transfers, payments and session settlements. */
  settled_usdc: string;
  settled_count: number;
  rejected_count: number;
}
