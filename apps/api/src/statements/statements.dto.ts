import { IsOmittable, IsText } from '../http/validation/checks';
import type { RecordView } from '../accounts';
import { MONTH_NAME } from './months';

/** The query of a statement. */
export class StatementQuery {
  /** A month of UTC, such as `2026-11`; default the running one. */
  @IsOmittable()
  @IsText({ max: 7, pattern: MONTH_NAME, patternMessage: 'must be a month such as 2026-11' })
  month?: string;
}

/** The movements of an account's money in a month. `closing_balance_usdc` is `opening_balance_usdc + in_usdc − out_usdc`, exactly. */
export interface StatementView {
  account_id: string;
  month: string;
  from: string;
  /** The end of the month, or now in the running one. */
  to: string;
  /** Whether the statement does not change any more. */
  complete: boolean;
  /** The balance of the token account and the held amounts together, when the month began. */
  opening_balance_usdc: string;
  /** Records that moved money, oldest first. Declines are left out. */
  records: RecordView[];
  in_usdc: string;
  out_usdc: string;
  /** The chain's fees for the transactions of the account's orders, paid by the service. No part of the balances. */
  fees: FeesView;
  /** The balance of the token account and the held amounts together, at `to`. */
  closing_balance_usdc: string;
  /** The part of the closing balance that open sessions hold now; null for a month that has ended. */
  held_usdc: string | null;
}

export interface FeesView {
  lamports: number;
  transactions: number;
}
