import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Chain, ChainUnavailableError } from '#chain';
import { DepositsService, UnexplainedAmounts } from '../../accounts';
import { JobsService } from '../../jobs/jobs.service';
import { type Arrival, LedgerService } from '../../ledger';
import { Finality, type Judged, type SettledFacts } from './finality';

const EVERY_MS = 5_000;

/**
 * The second look at deposits, and at what other accounts of this service paid by charges, purses and sessions. Transfers are looked at as
 * orders.
 */
@Injectable()
export class ArrivalFinality implements OnModuleInit, SettledFacts<Arrival> {
  constructor(
    private readonly chain: Chain,
    private readonly ledger: LedgerService,
    private readonly deposits: DepositsService,
    private readonly amounts: UnexplainedAmounts,
    private readonly finality: Finality,
    private readonly jobs: JobsService,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'arrival-finality', everyMs: EVERY_MS, run: () => this.finality.look('arrivals', this) });
  }

  between(from: Date, to: Date, limit: number): Promise<Arrival[]> {
    return this.ledger.arrivedBetween(from, to, limit);
  }

  /** A transaction that no node has may be pruned. It is reversed if the account has exactly as much less as such transactions brought. */
  async judge(arrivals: Arrival[]): Promise<Judged<Arrival>> {
    const standings = await this.chain.orders.finalities(arrivals.map(({ signature }) => signature));
    const pending = arrivals.filter((_one, index) => standings[index] === 'confirmed');
    const missing = arrivals.filter((_one, index) => standings[index] === 'missing');
    const reversed: Arrival[] = [];
    for (const accountId of new Set(missing.map((one) => one.accountId))) {
      const ofAccount = missing.filter((one) => one.accountId === accountId);
      const lacks = await this.lackOf(accountId);
      if (lacks === undefined) pending.push(...ofAccount);
      else if (lacks === ofAccount.reduce((sum, { microUsdc }) => sum + microUsdc, 0n)) reversed.push(...ofAccount);
    }
    pending.sort((one, other) => one.settledAt.getTime() - other.settledAt.getTime());
    return { reversed, pending };
  }

  async reverse({ id, accountId }: Arrival): Promise<void> {
    await this.deposits.forget(accountId, id);
  }

  /** The amount that the balance of an account lacks of its ledger, in micro-USDC; undefined while something is unresolved or no node can say. */
  private async lackOf(accountId: string): Promise<bigint | undefined> {
    try {
      const unexplained = await this.amounts.ofId(accountId);
      return unexplained?.unresolved.length === 0 ? unexplained.microUsdc : undefined;
    } catch (error) {
      if (error instanceof ChainUnavailableError) return undefined;
      throw error;
    }
  }
}
