/** The content of the policy form, and the policy that it stands for. */
import type { Policy, PolicyFields } from '../../data/types';
import { linesOf } from './list-field';

const LIMIT = /^\d{1,10}(\.\d{1,6})?$/;
const MAX_LIMIT = 1_000_000_000;
const MOMENT = /^\d{4}-(0\d|1[0-2])-([0-2]\d|3[01])T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.0+)?)?(Z|[+-]\d{2}:\d{2})$/;

/** The limits in USDC, in the order of the form: their labels, and the meaning of an empty one. */
export const LIMITS = [
  { name: 'max_single_transfer', label: 'Per-transfer limit', none: 'no limit' },
  { name: 'max_daily_spend', label: '24-hour limit', none: 'no limit' },
  { name: 'max_monthly_spend', label: '30-day limit', none: 'no limit' },
  { name: 'max_lifetime_spend', label: 'Lifetime limit', none: 'no limit' },
  { name: 'max_session_cap', label: 'Limit of a session’s cap', none: 'as the 24-hour limit', hint: 'as much as the 24-hour limit' },
  { name: 'escalation_threshold', label: 'Approval at or above', none: 'never needed', hint: 'never' },
  { name: 'approval_above_daily_sum', label: 'Approval above a daily sum of', none: 'never needed', hint: 'never' },
] as const satisfies readonly { name: keyof PolicyFields; label: string; none: string; hint?: string }[];

type LimitName = (typeof LIMITS)[number]['name'];

/** The content of the form, before it is a policy. */
export interface Draft extends Record<LimitName, string> {
  valid_until: string;
  anyone: boolean;
  counterparties: string;
  anything: boolean;
  categories: string;
  require_memo: boolean;
  paused: boolean;
}

export type Defects = Partial<Record<keyof Draft, string>>;

/** The most counterparties in a policy. */
const MOST_OF_ACCOUNT = 128;
const MOST_OF_FLEET = 1_024;

/** The fields of a policy that a change may name. */
export function fieldsOf({
  account_id: _account,
  fleet_id: _id,
  version: _version,
  updated_at: _updated,
  fleet: _fleet,
  ...fields
}: Policy & { fleet_id?: string }): PolicyFields {
  return fields;
}

/** A value for each limit. */
function perLimit<T>(of: (name: LimitName) => T): Record<LimitName, T> {
  return {
    max_single_transfer: of('max_single_transfer'),
    max_daily_spend: of('max_daily_spend'),
    max_monthly_spend: of('max_monthly_spend'),
    max_lifetime_spend: of('max_lifetime_spend'),
    max_session_cap: of('max_session_cap'),
    escalation_threshold: of('escalation_threshold'),
    approval_above_daily_sum: of('approval_above_daily_sum'),
  };
}

export function draftOf(policy: PolicyFields): Draft {
  return {
    ...perLimit((name) => textOfLimit(policy[name] ?? null)),
    valid_until: policy.valid_until?.replace('.000Z', 'Z') ?? '',
    anyone: policy.allowed_counterparties === null,
    counterparties: policy.allowed_counterparties?.join('\n') ?? '',
    anything: policy.categories === null,
    categories: policy.categories?.join('\n') ?? '',
    require_memo: policy.require_memo,
    paused: policy.paused,
  };
}

/** A limit as an exact decimal without exponent. Limits have at most six decimals. */
function textOfLimit(limit: number | null): string {
  return limit === null ? '' : limit.toFixed(6).replace(/\.?0+$/, '');
}

/** The policy of a draft without defects. */
export function fromDraft(draft: Draft): PolicyFields {
  return {
    ...perLimit((name) => (draft[name] === '' ? null : Number(draft[name]))),
    valid_until: draft.valid_until === '' ? null : new Date(draft.valid_until).toISOString(),
    allowed_counterparties: draft.anyone ? null : linesOf(draft.counterparties),
    categories: draft.anything ? null : linesOf(draft.categories),
    require_memo: draft.require_memo,
    paused: draft.paused,
  };
}

/** The sentences beside the fields that cannot be saved. `path` is that of the policy of an account or a fleet. */
export function defectsOf(draft: Draft, path: string): Defects {
  const mostCounterparties = path.startsWith('/v1/fleets/') ? MOST_OF_FLEET : MOST_OF_ACCOUNT;
  const defects: Defects = {};
  for (const { name } of LIMITS) {
    const text = draft[name];
    if (text !== '' && !(LIMIT.test(text) && Number(text) <= MAX_LIMIT))
      defects[name] = 'A number from 0 to 1,000,000,000, with at most six decimals.';
  }
  if (draft.valid_until !== '' && !MOMENT.test(draft.valid_until)) defects.valid_until = 'A time such as 2030-01-31T12:00:00Z.';
  const bad = draft.anything ? undefined : linesOf(draft.categories).find((one) => !/^[a-z0-9][a-z0-9_-]{0,31}$/.test(one));
  if (bad !== undefined) defects.categories = `“${bad}” is no category: 1 to 32 of a-z, 0-9, _ and -.`;
  if (!draft.anyone && linesOf(draft.counterparties).length > mostCounterparties)
    defects.counterparties = `At most ${mostCounterparties.toLocaleString('en-US')}.`;
  return defects;
}
