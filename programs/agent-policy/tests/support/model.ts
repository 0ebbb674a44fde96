/** A model of an account with exact lists, without buckets or bits. */
import type { PolicyChange } from '../../../../libs/chain/src/policy/policy.types';

const DAY = 86_400;
const BUCKET = 900;
const WINDOW = 1_024n;

export interface Payment {
  seq: bigint;
  amount: bigint;
  /** Whether the operator signs. */
  approved: boolean;
}

export class Model {
  private spent = new Set<bigint>();
  private payments: { time: number; amount: bigint }[] = [];
  private policy: { paused: boolean; maxSingleTransfer: bigint | null; maxDailySpend: bigint | null; escalationThreshold: bigint | null };
  highest = 0n;
  paid = 0n;

  constructor(
    /** The latest time of a transaction that landed. */
    private latest: number,
    public left: bigint,
  ) {
    this.policy = { paused: false, maxSingleTransfer: null, maxDailySpend: null, escalationThreshold: null };
  }

  /** A copy at another time, for payments that may still fail. */
  at(time: number): Model {
    const twin = new Model(Math.max(this.latest, time), this.left);
    [twin.highest, twin.paid, twin.policy] = [this.highest, this.paid, this.policy];
    [twin.spent, twin.payments] = [new Set(this.spent), [...this.payments]];
    return twin;
  }

  change(change: PolicyChange): void {
    this.policy = { ...this.policy, ...change };
  }

  /**
   * The results that the program may return. Only the daily limit has a tolerance: it never allows more than the limit in any 24
   * hours, and may still count what was spent up to 15 minutes before those.
   */
  expectedResults({ seq, amount, approved }: Payment): string[] {
    const { paused, maxSingleTransfer, maxDailySpend, escalationThreshold } = this.policy;
    if (seq > this.highest + WINDOW) return ['SeqTooFar'];
    if (seq === 0n || seq + WINDOW <= this.highest) return ['SeqTooOld'];
    if (this.spent.has(seq)) return ['AlreadyExecuted'];
    if (paused) return ['Paused'];
    if (maxSingleTransfer !== null && amount > maxSingleTransfer) return ['MaxSingleTransfer'];
    const isAbove = (seconds: number) => maxDailySpend !== null && this.paidWithin(seconds) + amount > maxDailySpend;
    if (isAbove(DAY)) return ['MaxDailySpend'];
    const later = this.laterResult(amount, escalationThreshold !== null && amount >= escalationThreshold && !approved);
    return isAbove(DAY + BUCKET - 1) ? ['MaxDailySpend', later] : [later];
  }

  private laterResult(amount: bigint, needsApproval: boolean): string {
    if (amount > this.left) return 'InsufficientBalance';
    return needsApproval ? 'EscalationThreshold' : 'none';
  }

  /** Micro-USDC paid within the last `seconds` and the current one. */
  private paidWithin(seconds: number): bigint {
    return this.payments.reduce((sum, { time, amount }) => (time + seconds >= this.latest ? sum + amount : sum), 0n);
  }

  record({ seq, amount }: Payment): void {
    this.spent.add(seq);
    if (seq > this.highest) this.highest = seq;
    this.left -= amount;
    this.paid += amount;
    this.payments.push({ time: this.latest, amount });
    // Payments too old to matter are dropped to save time.
    this.payments = this.payments.filter(({ time }) => time + 2 * DAY >= this.latest);
    if (this.spent.size > 2 * Number(WINDOW)) this.spent = new Set([...this.spent].filter((one) => one + WINDOW > this.highest));
  }
}
