import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Chain, ChainUnavailableError, type ChargeStanding } from '#chain';
import { AccountsService } from '../../accounts';
import { JobsService } from '../../jobs/jobs.service';
import { Finality, type Judged, OrderReader, type Settled, type SettledFacts } from '../../orders';
import type { Payment } from '../payment.entity';
import { PaymentStore } from '../payment.store';
import { ChargeStore } from './charge/charge.store';
import { PursePaymentStore } from './purse/purse-payment.store';

const EVERY_MS = 5_000;

interface PaidPayment extends Settled {
  payment: Payment;
}

/**
 * The second look at payments by charge and out of purses: transactions that sellers send. The service cannot send one again. It is looked for
 * until it lands again or never can, and only then rejected.
 */
@Injectable()
export class PaymentFinality implements OnModuleInit, SettledFacts<PaidPayment> {
  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly orders: OrderReader,
    private readonly payments: PaymentStore,
    private readonly charges: ChargeStore,
    private readonly purses: PursePaymentStore,
    private readonly finality: Finality,
    private readonly jobs: JobsService,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'payment-finality', everyMs: EVERY_MS, run: () => this.finality.look('payments', this) });
  }

  async between(from: Date, to: Date, limit: number): Promise<PaidPayment[]> {
    const paid = await this.payments.landedBetween(from, to, limit);
    return paid.map((payment) => ({ id: payment.id, settledAt: payment.finalAt ?? to, payment }));
  }

  /**
   * A status that no node has is no proof: it may have been pruned. The state of the account decides, at the slot at which it was last seen to
   * change. If that cannot tell, the payment stands.
   */
  async judge(paid: PaidPayment[]): Promise<Judged<PaidPayment>> {
    const standings = await this.chain.orders.finalities(paid.map(({ payment }) => payment.signature ?? ''));
    const judged: Judged<PaidPayment> = { reversed: [], pending: [] };
    for (const [index, one] of paid.entries()) {
      if (standings[index] === 'finalized') continue;
      const isReversed = standings[index] === 'confirmed' ? undefined : await this.isReversed(one.payment);
      if (isReversed === undefined) judged.pending.push(one);
      else if (isReversed) judged.reversed.push(one);
    }
    return judged;
  }

  async reverse({ payment }: PaidPayment): Promise<void> {
    // Of several payments of a purse, the others may explain what the chain shows.
    if (!(await this.isReversed(payment))) return;
    await (payment.method === 'purse' ? this.purses.reverse(payment) : this.charges.reverse(payment));
  }

  /** Whether the chain shows that its delegate moved less than is recorded; undefined while no node can say. */
  private async isReversed(payment: Payment): Promise<boolean | undefined> {
    const order = await this.orders.findIfStored(payment.purseId ?? payment.orderId ?? '');
    if (!order || order.seq === null || order.source === 'backfill') return false;
    const [account] = await this.accounts.withIds([payment.accountId]);
    if (!account) return undefined; // it is created again first
    if (account.state === 'closed') return false;
    try {
      const standing = await this.chain.charges.standing(account.chainAddress, order.seq, Number(account.observedSlot));
      const spent = spentOf(standing, order.microUsdc);
      const recorded = payment.purseId === null ? payment.microUsdc : await this.purses.paidOut(payment.purseId);
      return spent !== undefined && spent < recorded;
    } catch (error) {
      if (error instanceof ChainUnavailableError) return undefined;
      throw error;
    }
  }
}

/** The amount that a delegate has moved, in micro-USDC; undefined if the chain does not show it. */
function spentOf(standing: ChargeStanding, microUsdc: bigint): bigint | undefined {
  switch (standing.kind) {
    case 'not_approved':
      return 0n;
    case 'open':
      return microUsdc - standing.left;
    case 'ended':
      return standing.spent;
    case 'unknown':
      return undefined;
  }
}
