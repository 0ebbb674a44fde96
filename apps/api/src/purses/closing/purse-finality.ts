import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Chain, type ChainAccount, ChainUnavailableError } from '#chain';
import { idBytes } from '#database';
import { type Account, AccountsService } from '../../accounts';
import { JobsService } from '../../jobs/jobs.service';
import { Finality, type Judged, type Settled, type SettledFacts } from '../../orders';
import type { Purse } from '../purse.entity';
import { PurseStore } from '../store/purse.store';

const EVERY_MS = 5_000;

interface EndedPurse extends Settled {
  purse: Purse;
}

/** The second look at ends of purses: an account whose purse ended has another open charge on the finalized chain, or none. */
@Injectable()
export class PurseFinality implements OnModuleInit, SettledFacts<EndedPurse> {
  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly store: PurseStore,
    private readonly finality: Finality,
    private readonly jobs: JobsService,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'purse-finality', everyMs: EVERY_MS, run: () => this.finality.look('purses', this) });
  }

  async between(from: Date, to: Date, limit: number): Promise<EndedPurse[]> {
    const purses = await this.store.endedBetween(from, to, limit);
    return purses.map((purse) => ({ id: purse.id, settledAt: purse.closedAt ?? to, purse }));
  }

  /** A node is believed that an end is reversed only if it has reached the slot at which the account was last seen to change. */
  async judge(ended: EndedPurse[]): Promise<Judged<EndedPurse>> {
    const accounts = await this.accounts.withIds([...new Set(ended.map(({ purse }) => purse.accountId))]);
    const finalized = await this.chain.accounts.findMany(
      accounts.map(({ chainAddress }) => chainAddress),
      0,
      'finalized',
    );
    const judged: Judged<EndedPurse> = { reversed: [], pending: [] };
    for (const one of ended) {
      const index = accounts.findIndex(({ id }) => id === one.purse.accountId);
      const account = accounts[index];
      if (!account || !isOpen(one.purse, finalized[index])) continue;
      const confirmed = await this.confirmed(account);
      (isOpen(one.purse, confirmed) ? judged.reversed : judged.pending).push(one);
    }
    return judged;
  }

  /** Null if no node can say. */
  private async confirmed({ chainAddress, observedSlot }: Account): Promise<ChainAccount | null> {
    try {
      return (await this.chain.accounts.findMany([chainAddress], Number(observedSlot)))[0] ?? null;
    } catch (error) {
      if (error instanceof ChainUnavailableError) return null;
      throw error;
    }
  }

  async reverse({ purse }: EndedPurse): Promise<void> {
    await this.store.reverseEnd(purse);
  }
}

function isOpen({ id }: Purse, account: ChainAccount | null | undefined): boolean {
  return account?.openCharge != null && idBytes(id).equals(account.openCharge.chargeId);
}
