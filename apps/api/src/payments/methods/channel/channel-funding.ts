import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Chain } from '#chain';
import { type Account, OpeningTimes } from '../../../accounts';
import { ChainUnavailable } from '../../../http/domain.errors';
import { UNREFERENCED } from '../../../lists/references';
import { Backfill, type Order, OrderDrafts, OrderForecasts, OrdersService, type Simulated } from '../../../orders';
import { CHANNELS_ABSENT, ChannelPurseHandler, Purse, PurseKeys, PurseStore } from '../../../purses';
import { Clock } from '../../../runtime/clock';
import type { Payment } from '../../payment.entity';
import type { Funding, Quote } from '../payment-method';
import { Declined } from '../../payments.errors';
import { ChargeApproval, declineOf, UNAPPROVABLE } from '../charge/charge-approval';
import { idsWith, newIdWith } from '../charge/charge-order';

/** A purse lives for the seller's grace period and so long: the longest call takes as much. */
export const MORE_SECONDS = 3_600;

/** A purse outlives the grace period of its channel by so much. */
export const MARGIN_SECONDS = 300;

/** A price that a channel is opened for. */
export interface ChannelQuote extends Quote {
  requirements: { feePayer: string; graceSeconds: number };
}

/** A purse that is not funded yet, and its simulated order. */
interface Prepared {
  purse: Purse;
  draft: Order;
  simulated: Simulated | undefined;
}

/** The purses that payments make for themselves. */
@Injectable()
export class ChannelFunding {
  constructor(
    private readonly chain: Chain,
    private readonly clock: Clock,
    private readonly times: OpeningTimes,
    private readonly keys: PurseKeys,
    private readonly handler: ChannelPurseHandler,
    private readonly orders: OrdersService,
    private readonly orderDrafts: OrderDrafts,
    private readonly backfill: Backfill,
    private readonly forecasts: OrderForecasts,
    private readonly purses: PurseStore,
    private readonly approval: ChargeApproval,
  ) {}

  /** A new id for the purse of a payment: a restored database finds by it what has landed. */
  async newId(payment: Payment): Promise<string> {
    return newIdWith('purse', await this.approval.digest(payment));
  }

  /** The purse by which this request was paid before the database was restored, backfilled since. @throws ChainUnavailableError */
  async paidBefore(payment: Payment, account: Account): Promise<Purse | undefined> {
    await this.backfill.compareOnce(account);
    const order = await this.backfill.writtenWithin(idsWith('purse', await this.approval.digest(payment)), account.id);
    return order && this.purses.findIfStored(order.id);
  }

  /** Checks that a purse could be funded. Nothing is stored or sent. @throws what `fund` would throw before it is sent */
  async check(payment: Payment, quote: ChannelQuote, funding: Funding): Promise<void> {
    const { draft, simulated } = await this.prepare(payment, await this.newId(payment), quote, funding);
    if (!simulated) throw new ChainUnavailable();
    await this.forecasts.requireAdmission(draft, simulated);
  }

  /** Funds the purse of a payment, whose id is stored with it. @throws Declined, ChainUnavailable */
  async fund(payment: Payment, id: string, quote: ChannelQuote, funding: Funding): Promise<Purse> {
    const { purse, draft, simulated } = await this.prepare(payment, id, quote, funding);
    const { order } = await this.orders.place(funding.caller, draft, simulated, this.purses.insertion(purse));
    if (order.status === 'settled') return this.purses.find(order.id);
    if (order.status === 'pending_approval') await this.orders.deny(order, null, UNAPPROVABLE);
    throw declineOf(order) ?? new ChainUnavailable(order.failure?.message);
  }

  private async prepare(payment: Payment, id: string, quote: ChannelQuote, { account, caller }: Funding): Promise<Prepared> {
    const { microUsdc, category, payee, requirements } = quote;
    if (payee === account.chainAddress) throw Declined.because('recipient_mismatch', 'The provider asks the account to pay itself.');
    if (!(await this.chain.channels.arePresent())) throw Declined.because('unsupported_method', CHANNELS_ABSENT);
    const purse = await this.draft(payment, id, quote, account);
    const draft = await this.orderDrafts.draft({
      id,
      kind: 'channel_purse',
      operatorId: account.operatorId,
      accountId: account.id,
      requestHash: createHash('sha256')
        .update(JSON.stringify([payment.id, payee, microUsdc.toString(), category, requirements.feePayer]))
        .digest(),
      delegateKey: purse.delegateKey,
      microUsdc,
      category,
      byAgent: caller.type === 'agent',
    });
    const simulated = await this.forecasts.simulate(draft, account, this.handler.instructionFor(purse));
    const outcome = simulated?.outcome;
    if (outcome?.kind === 'violation') throw new Declined(await this.forecasts.describe(outcome.violation, draft));
    if (outcome?.kind === 'declined') throw new Declined(outcome.violation);
    if (outcome?.kind === 'failed')
      throw new ChainUnavailable(`The chain refuses channel purses of this account: ${outcome.failure.detail}.`);
    return { purse, draft, simulated };
  }

  /** A policy that ends soon shortens it, but never below the seller's grace period: then the chain declines it. */
  private async secondsOf(account: Account, graceSeconds: number): Promise<number> {
    const seconds = graceSeconds + MORE_SECONDS;
    const fitting = await this.times.shortened(account, seconds);
    return fitting >= graceSeconds + MARGIN_SECONDS ? fitting : seconds;
  }

  private async draft(payment: Payment, id: string, { microUsdc, category, requirements }: ChannelQuote, account: Account): Promise<Purse> {
    return Object.assign(new Purse(), {
      id,
      kind: 'channel' as const,
      paymentId: payment.id,
      operatorId: account.operatorId,
      accountId: account.id,
      category,
      host: new URL(payment.provider).host,
      microUsdc,
      expiresInSeconds: await this.secondsOf(account, requirements.graceSeconds),
      ...this.keys.generate(id, 'channel'),
      ...UNREFERENCED,
      createdAt: this.clock.now(),
    });
  }
}
