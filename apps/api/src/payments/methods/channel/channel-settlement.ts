import { setTimeout } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Chain, type PaidChannel } from '#chain';
import { chainFault } from '../../../allowances';
import { type Channel, ChannelClosingService, ChannelStore, termsOf } from '../../../channels';
import { OrderReader, OrdersService } from '../../../orders';
import { PurseStore } from '../../../purses';
import { PurseClosingService } from '../purse/purse-closing.service';
import { Failpoints } from '../../../runtime/failpoints';
import type { Payment, SealedAnswer } from '../../payment.entity';
import { PaymentStore } from '../../payment.store';
import { isServed } from '../../provider/provider-client';
import { declineOf, UNAPPROVABLE } from '../charge/charge-approval';
import { INTERRUPTED, notTaken } from '../charge/charge-settlement';
import { ChannelPaymentStore } from './channel-payment.store';

const LANDING_POLL_MS = 200;

/** Finds out what the channel of a payment paid, and stores it. */
@Injectable()
export class ChannelSettlement {
  private readonly logger = new Logger('Channels');

  constructor(
    private readonly chain: Chain,
    private readonly orders: OrdersService,
    private readonly orderReader: OrderReader,
    private readonly purses: PurseStore,
    private readonly channels: ChannelStore,
    private readonly closing: ChannelClosingService,
    private readonly purseClosing: PurseClosingService,
    private readonly store: ChannelPaymentStore,
    private readonly payments: PaymentStore,
    private readonly failpoints: Failpoints,
  ) {}

  /** Stores the provider's answer, and the outcome if the chain shows it within `waitMs`. It is `unknown` until then. */
  async conclude(payment: Payment, answer: SealedAnswer | null, receipt: string | null, waitMs: number): Promise<Payment> {
    if (answer) await this.payments.keepAnswer(payment, answer, receipt);
    const deadline = performance.now() + waitMs;
    for (;;) {
      const current = await this.payments.find(payment.id);
      const concluded = current.status === 'unknown' ? await this.attempt(current, () => this.advance(current)) : current;
      if (concluded) return concluded;
      if (performance.now() > deadline) break;
      await setTimeout(LANDING_POLL_MS);
    }
    await this.payments.release(payment.id);
    return this.payments.find(payment.id);
  }

  /** Continues a payment after a crash. Without a credential its purse is ended. */
  async resume(payment: Payment): Promise<Payment> {
    await this.attempt(payment, () => (payment.status === 'created' ? this.abandon(payment) : this.advance(payment)));
    return this.payments.find(payment.id);
  }

  /** The final payment, once its channel is gone or can never be opened; undefined until then. @throws ChainUnavailableError */
  private async advance(payment: Payment): Promise<Payment | undefined> {
    const channel = await this.channels.ofPayment(payment.id);
    if (!channel) throw new Error(`${payment.id} has no channel`);
    // The height first: what has not landed by then cannot land later.
    const hasExpired = await this.chain.charges.hasExpired(Number(channel.lastValidBlockHeight));
    const paid = await this.paidBy(channel, hasExpired);
    if (paid === undefined) return undefined;
    const isTaken = paid !== null && (paid.microUsdc > 0n || (payment.responseStatus !== null && isServed(payment.responseStatus)));
    const stored = isTaken ? await this.store.settle(payment, channel, paid) : await this.store.refuse(payment, channel, notTaken(payment));
    this.failpoints.pass('channel.settled');
    await this.endOwn(channel.purseId);
    return stored ?? this.payments.find(payment.id);
  }

  /** Amount that an ended channel paid; null if it can never be opened, undefined while it is open or may be. */
  private async paidBy(channel: Channel, hasExpired: boolean): Promise<PaidChannel | null | undefined> {
    const [state] = await this.chain.channels.find([channel.address]);
    if (state) {
      await this.channels.open(channel);
      return state.status === 'distributed' ? this.chain.channels.paid(termsOf(channel), state.settled) : undefined;
    }
    // Its account is gone some minutes after its end: the history has it then.
    return hasExpired || channel.status !== 'opening' ? this.chain.channels.paid(termsOf(channel), null) : undefined;
  }

  /** No credential was stored: the purse is ended, and the same key may pay again. */
  private async abandon(payment: Payment): Promise<Payment | undefined> {
    const found = payment.orderId === null ? undefined : await this.orderReader.findIfStored(payment.orderId);
    const order = found && (await this.orders.current(found.id));
    if (order?.status === 'created' || order?.status === 'submitted') return undefined;
    if (order?.status === 'pending_approval') await this.orders.deny(order, null, UNAPPROVABLE);
    const purse = order?.status === 'settled' ? await this.purses.find(order.id) : undefined;
    // A restored database may have lost the credential.
    if (purse && (await this.closing.finishUnused(purse)) > 0n)
      return this.store.settleLost(payment, await this.purses.find(purse.id), null);
    const decline = order && declineOf(await this.orderReader.find(order.id));
    if (order && decline) {
      const { microUsdc, category } = order;
      return this.payments.decline({ ...payment, microUsdc, category }, decline.violation);
    }
    return this.payments.fail(payment, { code: 'chain_unavailable', message: INTERRUPTED });
  }

  /** Ends the purse of a payment that was not authorized. */
  async release({ orderId }: Payment): Promise<void> {
    const order = orderId === null ? undefined : await this.orderReader.findIfStored(orderId);
    if (order?.status === 'settled') await this.endOwn(order.id);
  }

  /** Ends a purse that a payment made for itself. One that was asked for has room again. */
  private async endOwn(purseId: string): Promise<void> {
    const purse = await this.purses.find(purseId);
    if (purse.paymentId !== null) await this.purseClosing.close(purse);
  }

  /** The chain may be unavailable or refuse: recovery asks again. */
  private async attempt<T>({ id }: Payment, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.logger.warn(`the outcome of ${id} is not known yet: ${chainFault(error).message}`);
      return undefined;
    }
  }
}
