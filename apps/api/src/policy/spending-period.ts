import type { SpentOf } from '#chain';
import { formatUsdc } from '../money/usdc';

/** The rest of a limit; its amounts are null without the limit. */
export interface PeriodView {
  limit_usdc: string | null;
  spent_usdc: string | null;
  remaining_usdc: string | null;
}

/** A limit as an answer shows it, with what is reserved counted against it. */
export function periodView({ limit, spent }: SpentOf, reserved: bigint): PeriodView {
  if (limit === null) return { limit_usdc: null, spent_usdc: null, remaining_usdc: null };
  const used = spent + reserved;
  return { limit_usdc: formatUsdc(limit), spent_usdc: formatUsdc(spent), remaining_usdc: formatUsdc(limit > used ? limit - used : 0n) };
}
