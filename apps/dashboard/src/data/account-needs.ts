/** The accounts that need an operator, and the part of its 24-hour limit that an account uses. */
import { toMicro } from '../values/money';
import type { ListedAccount } from './types';

/** The share of the 24-hour limit, in percent, from which an account is near it. */
const NEAR_PERCENT = 80;
/** An account is declined much with at least so many declines in 24 hours, and more declines than settled payments. */
const MANY_DECLINES = 5;

export type Need = 'no_limit' | 'at_limit' | 'near_limit' | 'no_money' | 'many_declines';

/** The needs in the order of the overview: the one that may cost most comes first. */
export const NEEDS: [Need, string][] = [
  ['no_limit', 'Without any limit'],
  ['at_limit', 'At the 24-hour limit'],
  ['near_limit', 'Near the 24-hour limit'],
  ['no_money', 'Without money'],
  ['many_declines', 'Declined often'],
];

/** The share of the 24-hour limit that is sent or set aside, in percent. Null without a limit. */
export function usedPercent({ max_daily_spend, sent_usdc, reserved_usdc }: ListedAccount): number | null {
  if (max_daily_spend === null) return null;
  const used = toMicro(sent_usdc) + toMicro(reserved_usdc);
  const limit = toMicro(max_daily_spend.toFixed(6));
  if (limit === 0n) return 100;
  return Number((used * 1000n) / limit) / 10;
}

/** The needs of an account. A paused or closed account pays nothing, so it needs nothing. */
export function needsOf(account: ListedAccount): Need[] {
  if (account.status !== 'active') return [];
  const used = usedPercent(account);
  const { max_single_transfer, max_daily_spend, has_lists, balance_usdc, declined_count, sent_count } = account;
  const needs: Record<Need, boolean> = {
    no_limit: max_single_transfer === null && max_daily_spend === null && !has_lists,
    at_limit: used !== null && used >= 100,
    near_limit: used !== null && used >= NEAR_PERCENT && used < 100,
    no_money: toMicro(balance_usdc) === 0n,
    many_declines: declined_count >= MANY_DECLINES && declined_count > sent_count,
  };
  return NEEDS.map(([need]) => need).filter((need) => needs[need]);
}

/** The accounts that have a need, the worst first: the most money at risk, the most used of a limit, the most declines. */
export function worstFirst(need: Need, accounts: ListedAccount[]): ListedAccount[] {
  const badness = (account: ListedAccount): number | bigint => {
    if (need === 'no_limit') return toMicro(account.balance_usdc);
    if (need === 'many_declines') return account.declined_count;
    if (need === 'no_money') return account.sent_count;
    return usedPercent(account) ?? 0;
  };
  return accounts
    .filter((account) => needsOf(account).includes(need))
    .toSorted((one, other) => (badness(other) > badness(one) ? 1 : badness(other) < badness(one) ? -1 : 0));
}
