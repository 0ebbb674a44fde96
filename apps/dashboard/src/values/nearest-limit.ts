/** The limit of a fleet that is reached first. */
import { toMicro } from './money';
import type { FleetSpending } from '../data/types';

/** A limit of all members together, in words, with what is left of it in USDC. */
export interface NearestLimit {
  name: string;
  limit_usdc: string;
  remaining_usdc: string;
}

/** The limit of which the smallest amount is left; undefined for a fleet without limits. Of equal ones the shortest period. */
export function nearestLimit({ limit_usdc, remaining_usdc, monthly, lifetime }: FleetSpending): NearestLimit | undefined {
  const limits = [
    { name: '24-hour limit', limit_usdc, remaining_usdc },
    { name: '30-day limit', limit_usdc: monthly.limit_usdc, remaining_usdc: monthly.remaining_usdc },
    { name: 'lifetime limit', limit_usdc: lifetime.limit_usdc, remaining_usdc: lifetime.remaining_usdc },
  ].filter((one): one is NearestLimit => one.limit_usdc !== null && one.remaining_usdc !== null);
  return limits.toSorted((a, b) => {
    const [left, right] = [toMicro(a.remaining_usdc), toMicro(b.remaining_usdc)];
    return left < right ? -1 : left > right ? 1 : 0;
  })[0];
}
