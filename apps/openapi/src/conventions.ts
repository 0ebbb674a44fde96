/** The meaning of members' names for their values. The contract has one name for one form, everywhere. */
import type { JsonSchema } from '../../api/src/http/validation/schemas';

const USDC: JsonSchema = { pattern: '^\\d{1,13}\\.\\d{6}$', examples: ['12.500000'] };
const MOMENT: JsonSchema = { format: 'date-time', examples: ['2026-03-01T12:00:00.000Z'] };

/** The policy's limits and the thresholds are the only numbers with decimals. */
const DECIMALS =
  /^(max_(single_transfer|daily_spend|monthly_spend|lifetime_spend|session_cap)|escalation_threshold|approval_above_daily_sum|low_balance_threshold_usdc)$/;
/^(max_single_transfer|max_daily_spend|max_monthly_spend|max_lifetime_spend|max_session_cap|approval_above_daily_sum|escalation_threshold|low_balance_threshold_usdc)$/;

/** The form of a member that is a string: amounts in USDC end in `_usdc`, times in `_at`. */
export function stringFormat(member: string): JsonSchema {
  if (member.endsWith('_usdc')) return USDC;
  return /(^|_)at$|(^|_)as_of$|^last_updated$|^valid_until$|^now$/.test(member) ? MOMENT : {};
}

/** Whether a member that is a number may have decimals. */
export function isDecimal(member: string): boolean {
  return DECIMALS.test(member);
}
