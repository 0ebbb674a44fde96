/** The limit that leaves least: of the account's own policy, or of its fleet for all members together. */
import { parseUsdc, type Schemas } from '#client';
import type { ObjectSchema } from '../api-document';

type Spending = Schemas['Spending'];
type Limited = Pick<Spending, 'remaining_usdc' | 'monthly' | 'lifetime'>;

export interface NearestLimit {
  /** The scope of the limit, as a decline names it. */
  scope: 'account' | 'fleet_limits';
  rule: 'max_daily_spend' | 'max_monthly_spend' | 'max_lifetime_spend';
  remaining_usdc: string;
}

export const NEAREST_LIMIT: ObjectSchema['properties'][string] = {
  type: ['object', 'null'],
  description:
    'The limit that leaves least, and whose it is: of this account (account), or of all members of its fleet together (fleet_limits). null: no limit is set.',
  properties: {
    scope: { type: 'string', enum: ['account', 'fleet_limits'] },
    rule: { type: 'string', enum: ['max_daily_spend', 'max_monthly_spend', 'max_lifetime_spend'] },
    remaining_usdc: { type: 'string' },
  },
};

/** Null if no limit is set. Of equal ones the account's, and that of the shorter time. */
export function nearestLimit(spending: Limited & { fleet?: Limited }): NearestLimit | null {
  const all = [...limitsOf('account', spending), ...(spending.fleet ? limitsOf('fleet_limits', spending.fleet) : [])];
  const [first, ...others] = all;
  if (!first) return null;
  return others.reduce((nearest, one) => (parseUsdc(one.remaining_usdc) < parseUsdc(nearest.remaining_usdc) ? one : nearest), first);
}

function limitsOf(scope: NearestLimit['scope'], { remaining_usdc, monthly, lifetime }: Limited): NearestLimit[] {
  const all = { max_daily_spend: remaining_usdc, max_monthly_spend: monthly.remaining_usdc, max_lifetime_spend: lifetime.remaining_usdc };
  return Object.entries(all).flatMap(([rule, remaining]) =>
    remaining === null ? [] : [{ scope, rule: rule as NearestLimit['rule'], remaining_usdc: remaining }],
  );
}
