/** The rules of policies and limits, in their documented order, on exact lists. */
import type { ChainPolicy } from '../../../../../libs/chain/src/policy/policy.types';
import type { Limits } from '../fleet';
import type { Book, Bounds } from './book';

export type ModelPolicy = Omit<ChainPolicy, 'updatedAt' | 'allowedCounterparties' | 'categories' | 'requireMemo'>;
export type ModelLimits = { [Name in keyof Limits]-?: bigint | null };

/** Something that the program checks: the error, and whether it occurs; null if both are right, as in the last bucket that may still count. */
export type Check = [error: string, occurs: boolean | null];

/** The results that the program may return; `none` if nothing fails. */
export function results(checks: Iterable<Check>): string[] {
  const possible: string[] = [];
  for (const [error, occurs] of checks) {
    if (occurs !== false) possible.push(error);
    if (occurs === true) return possible;
  }
  return [...possible, 'none'];
}

/** Values that the rules compare. */
export interface ModelOrder {
  /** Leaves or is reserved now. */
  amount: bigint;
  single?: bigint;
  cap?: bigint;
  /** The amount that an approval threshold is compared with. */
  escalation?: bigint;
  endsAt?: number;
  approved: boolean;
}

export interface Judged {
  book: Book;
  policy: ModelPolicy | null;
  fleet: { book: Book; policy: ModelPolicy; limits: ModelLimits } | null;
  spendable: bigint;
}

export const NO_POLICY: ModelPolicy = {
  version: 0n,
  paused: false,
  validUntil: null,
  maxSingleTransfer: null,
  maxSessionCap: null,
  maxDailySpend: null,
  maxMonthlySpend: null,
  maxLifetimeSpend: null,
  escalationThreshold: null,
  approvalAboveDailySum: null,
};

export function* policyChecks({ book, policy, fleet, spendable }: Judged, order: ModelOrder, now: number): Generator<Check> {
  if (policy) yield* rules(policy, book, order, now, '');
  if (fleet) {
    yield* rules(fleet.policy, book, order, now, 'Fleet');
    yield* limits(fleet.limits, fleet.book, order.amount, now, 'FleetLimits');
  }
  yield ['InsufficientBalance', order.amount > spendable];
  if (!order.approved) yield* approvals([policy, fleet?.policy ?? null], book, order, now);
}

function* rules(policy: ModelPolicy, book: Book, order: ModelOrder, now: number, scope: string): Generator<Check> {
  const until = policy.validUntil === null ? null : policy.validUntil.getTime() / 1000;
  yield [`${scope}Paused`, policy.paused];
  yield [`${scope}ValidUntil`, until !== null && (now >= until || (order.endsAt ?? 0) > until)];
  yield [`${scope}MaxSingleTransfer`, isAbove(order.single ?? 0n, policy.maxSingleTransfer)];
  yield [`${scope}MaxSessionCap`, isAbove(order.cap ?? 0n, policy.maxSessionCap)];
  const { maxDailySpend: daily, maxMonthlySpend: monthly, maxLifetimeSpend: lifetime } = policy;
  yield* limits({ daily, monthly, lifetime }, book, order.amount, now, scope);
}

function* limits({ daily, monthly, lifetime }: ModelLimits, book: Book, amount: bigint, now: number, scope: string): Generator<Check> {
  const taken = book.reserved + amount;
  if (daily !== null) yield [`${scope}MaxDailySpend`, exceeds(book.leftIn('day', now), taken, daily)];
  if (monthly !== null) yield [`${scope}MaxMonthlySpend`, exceeds(book.leftIn('month', now), taken, monthly)];
  yield [`${scope}MaxLifetimeSpend`, isAbove(book.lifetime + taken, lifetime)];
}

/** One approval covers both policies; the lower threshold is named, the account's if they are equal. */
function* approvals(policies: [own: ModelPolicy | null, fleets: ModelPolicy | null], book: Book, order: ModelOrder, now: number) {
  const lowest = (field: 'escalationThreshold' | 'approvalAboveDailySum') => {
    const [own, fleets] = policies.map((policy) => policy?.[field] ?? null);
    if (own == null && fleets == null) return null;
    const isFleets = own == null || (fleets != null && fleets < own);
    return { scope: isFleets ? 'Fleet' : '', value: (isFleets ? fleets : own) ?? 0n };
  };
  const threshold = lowest('escalationThreshold');
  if (threshold) yield [`${threshold.scope}EscalationThreshold`, (order.escalation ?? order.amount) >= threshold.value] as Check;
  const most = lowest('approvalAboveDailySum');
  if (!most) return;
  const sum = exceeds(book.leftIn('day', now), book.reserved + order.amount, most.value);
  yield [`${most.scope}ApprovalAboveDailySum`, sum] as Check;
}

const isAbove = (amount: bigint, limit: bigint | null): boolean => limit !== null && amount > limit;

/** Whether it is above in any case, in none, or may be. */
function exceeds([least, most]: Bounds, amount: bigint, limit: bigint): boolean | null {
  return least + amount > limit ? true : most + amount > limit ? null : false;
}
