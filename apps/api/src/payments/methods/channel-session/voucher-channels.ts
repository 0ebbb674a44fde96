import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Chain, ChainUnavailableError, isAway } from '#chain';
import { type Channel, ChannelStore } from '../../../channels';
import type { KeptAnswer, Step } from '../payment-method';
import type { Payment } from '../../payment.entity';
import { PaymentStore } from '../../payment.store';
import { isServed } from '../../provider/provider-client';
import { type Acceptance, ChannelSessionStore, UNRECEIPTED } from './channel-session.store';

/** How long a payment waits for an earlier one of its channel in another process. */
const CHANNEL_WAIT_MS = 60_000;
const CHANNEL_POLL_MS = 20;
/** How long the chain is asked for a top-up that its seller says it took. */
const SHOWN_WAIT_MS = 10_000;
const SHOWN_POLL_MS = 200;

/** Payments by vouchers of a channel, whichever protocol carries them: whose turn it is, and what an answer means. */
@Injectable()
export class VoucherChannels {
  constructor(
    private readonly chain: Chain,
    private readonly channels: ChannelStore,
    private readonly store: ChannelSessionStore,
    private readonly payments: PaymentStore,
  ) {}

  /** Whether a channel takes a voucher of `microUsdc` more: its deposit covers it, and the chain shows it as open. */
  async takes(channel: Channel, microUsdc: bigint): Promise<boolean> {
    const hasRoom = channel.acceptedMicroUsdc + microUsdc <= channel.depositMicroUsdc;
    return hasRoom && (channel.status === 'open' || (await this.isShown(channel)));
  }

  /** Whether the chain shows the channel as open, which is stored then. */
  async isShown(channel: Channel): Promise<boolean> {
    const [state] = await this.chain.channels.find([channel.address]);
    if (state?.status !== 'open') return false;
    await this.channels.open(channel);
    return true;
  }

  /** Whether the chain shows the waiting top-up of a channel soon, which is stored then: what is signed next is covered. */
  async isRaised(channel: Channel): Promise<boolean> {
    const raised = channel.depositMicroUsdc + (channel.topUpMicroUsdc ?? 0n);
    for (const until = performance.now() + SHOWN_WAIT_MS; ; await setTimeout(SHOWN_POLL_MS)) {
      const [state] = await this.chain.channels.find([channel.address]);
      if (!state || (state.deposit < raised && performance.now() >= until)) return false;
      if (state.deposit < raised) continue;
      await this.channels.toppedUp(channel);
      return true;
    }
  }

  /** Calls `authorize` until no other payment of the channel waits for its answer: until then it returns undefined. @throws ChainUnavailableError */
  async authorizedInTurn(payment: Payment, authorize: () => Promise<Payment | undefined>): Promise<Payment> {
    for (const until = performance.now() + CHANNEL_WAIT_MS; ; await setTimeout(CHANNEL_POLL_MS)) {
      const authorized = await authorize();
      if (authorized) return authorized;
      if ((await this.payments.find(payment.id)).status !== 'created')
        throw new ChainUnavailableError('another process took the payment up');
      if (performance.now() > until) throw new ChainUnavailableError('another payment of the channel has no answer yet');
    }
  }

  /** Stores an answer that refuses nothing. 2xx: accepted, as is a voucher that was sent twice. Anything else is not known. */
  async answered(payment: Payment, answer: KeptAnswer | null, acceptance: Acceptance): Promise<Payment> {
    if (payment.resent || (answer && isServed(answer.status))) return this.accept(payment, answer, acceptance);
    await this.payments.release(payment.id);
    return this.payments.find(payment.id);
  }

  /** Resends the same credential once, which sellers take as a replay. If the outcome is still unknown, the voucher counts as accepted. */
  async resume(payment: Payment): Promise<Step> {
    const resent = await this.payments.markResent(payment);
    return resent ? { payment: resent, resend: true } : { payment: await this.accept(payment, null, UNRECEIPTED), resend: false };
  }

  /** The voucher counts as accepted. */
  async accept(payment: Payment, answer: KeptAnswer | null, acceptance: Acceptance): Promise<Payment> {
    return (await this.store.accept(payment, answer, acceptance, await this.chainNow())) ?? this.payments.find(payment.id);
  }

  /** The chain's clock; null while no node tells the time. */
  private async chainNow(): Promise<Date | null> {
    try {
      return await this.chain.clock.now();
    } catch (error) {
      if (isAway(error)) return null;
      throw error;
    }
  }
}

/** The answer that refuses a voucher: 402 or 410, unless it was sent before and may have been accepted then. */
export function refusalIn({ resent }: Payment, answer: KeptAnswer | null): KeptAnswer | null {
  return answer !== null && (answer.status === 402 || answer.status === 410) && !resent ? answer : null;
}
