import type { Account } from '../../accounts';
import type { Step, StepOutcome } from '../bulk-job.entity';

/** The outcomes of steps. */
export interface StepsResult {
  outcomes: StepOutcome[];
  /** Accounts that one transaction changes, which the operator must sign: the positions of each. */
  unsigned: number[][];
  /** Why some of them wait; null if nothing is out of order. */
  message: string | null;
}

type Fate = { status: 'done' | 'waiting' } | { status: 'failed'; error: string; message: string };

/** Steps with the accounts that they are about, and what became of them. */
export class StepsWork {
  private readonly fates = new Map<string, Fate>();
  private readonly unsigned: string[][] = [];
  private message: string | null = null;

  constructor(
    private readonly steps: Step[],
    private readonly accounts: ReadonlyMap<string, Account>,
  ) {
    for (const { accountId } of steps) {
      const state = accounts.get(accountId)?.state;
      if (state === undefined) this.fates.set(accountId, { status: 'failed', error: 'not_found', message: 'There is no such account.' });
      if (state === 'closed') this.fates.set(accountId, { status: 'failed', error: 'conflict', message: 'The account is closed.' });
      if (state === 'creating') this.fates.set(accountId, { status: 'waiting' });
    }
  }

  get contested(): string[] {
    return this.steps.filter(({ isContested }) => isContested).map(({ accountId }) => accountId);
  }

  open(isSuperseded: boolean): Account[] {
    const steps = this.steps.filter((step) => step.isSuperseded === isSuperseded);
    return steps.flatMap(({ accountId }) => this.accounts.get(accountId) ?? []).filter(({ state }) => state === 'open');
  }

  settle(accounts: Account[], fate: Fate, message?: string): void {
    for (const { id } of accounts) if (!this.fates.has(id)) this.fates.set(id, fate);
    if (accounts.length > 0 && message !== undefined) this.message = message;
  }

  decide({ id }: Account, fate: Fate): void {
    this.fates.set(id, fate);
  }

  leaveUnsigned(accounts: Account[]): void {
    this.unsigned.push(accounts.map(({ id }) => id));
  }

  result(): StepsResult {
    const unsigned = new Set(this.unsigned.flat());
    const others = this.steps.filter(({ accountId }) => !unsigned.has(accountId));
    const positions = new Map(this.steps.map(({ accountId, position }) => [accountId, position]));
    return {
      outcomes: others.map(({ accountId, position }) => ({ position, ...(this.fates.get(accountId) ?? { status: 'waiting' }) })),
      unsigned: this.unsigned.map((ids) => ids.map((id) => positions.get(id) ?? -1)),
      message: this.message,
    };
  }
}
