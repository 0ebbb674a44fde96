import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Chain, ChainUnavailableError } from '#chain';
import { type Channel, ChannelStore, termsOf } from '../../../channels';
import { Admission } from '../../../orders';
import { type Purse, PurseKeys, PurseStore } from '../../../purses';
import { Failpoints } from '../../../runtime/failpoints';
import type { Payment } from '../../payment.entity';
import type { Quote } from '../payment-method';
import { isServed, type ProviderAnswer } from '../../provider/provider-client';
import type { ChannelSessionQuote } from '../../quotes/channel-session';
import { MARGIN_SECONDS } from '../channel/channel-funding';
import { depositOf, PurseBounds, restOf, type Source } from '../purse/purse-bounds';
import { leastDeposit } from './channel-openings';
import { ChannelSellers } from './channel-sellers';
import { ChannelSessionStore } from './channel-session.store';
import { VoucherChannels } from './voucher-channels';

/** How often one payment sends the same top-up: sellers take it again as a replay. */
const SENDS = 2;
/** How long a payment waits for the rest of a channel whose seller refused its top-up, and is asked to close it. */
const CLOSE_WAIT_MS = 20_000;
const CLOSE_POLL_MS = 200;

/** Raises the deposits of channels that are used up. The seller submits the transaction, which costs the service's fee payer its fee. */
@Injectable()
export class ChannelTopUps {
  constructor(
    private readonly chain: Chain,
    private readonly admission: Admission,
    private readonly bounds: PurseBounds,
    private readonly channels: ChannelStore,
    private readonly purses: PurseStore,
    private readonly keys: PurseKeys,
    private readonly sellers: ChannelSellers,
    private readonly vouchers: VoucherChannels,
    private readonly store: ChannelSessionStore,
    private readonly failpoints: Failpoints,
  ) {}

  /** Whether the open channel with the seller would be topped up for a payment. @throws Declined, ChainUnavailable */
  async isPossible(payment: Payment, quote: ChannelSessionQuote, source: Source): Promise<boolean> {
    const channel = await this.usedUp(payment, quote, source.purse);
    if (!channel) return false;
    await this.requireOutliving(payment, quote, source);
    return lacking(channel, quote) <= restOf(await this.purses.find(source.purse.id));
  }

  /**
   * The open channel with the seller, with a deposit that covers the price; undefined if there is none, the rest of the purse is too
   * small, or the seller refuses: then its channel is closed, and another one is to be opened. @throws Declined, ChainUnavailable
   */
  async raised(payment: Payment, quote: ChannelSessionQuote, source: Source): Promise<Channel | undefined> {
    const channel = await this.usedUp(payment, quote, source.purse);
    if (!channel || channel.payingPaymentId !== null) return channel;
    await this.requireOutliving(payment, quote, source);
    const pending = channel.topUpTransaction === null ? await this.stored(channel, quote, source, payment) : channel;
    return pending?.topUpTransaction ? this.sent(pending, payment, quote) : pending;
  }

  private async usedUp(payment: Payment, quote: ChannelSessionQuote, purse: Purse): Promise<Channel | undefined> {
    return (await this.sellers.channelsOf(purse, payment, quote)).find(({ status }) => status === 'open');
  }

  /** A top-up comes back within the grace period, as a deposit does: the purse must live that long. */
  private requireOutliving(payment: Payment, quote: ChannelSessionQuote, source: Source): Promise<void> {
    return this.bounds.requirePaying(payment, quote, source, quote.graceSeconds + MARGIN_SECONDS);
  }

  /** Signs and stores a top-up before it is sent. Undefined if the purse has no room. */
  private async stored(
    channel: Channel,
    quote: ChannelSessionQuote,
    { purse: { id } }: Source,
    payment: Payment,
  ): Promise<Channel | undefined> {
    const purse = await this.purses.find(id);
    const least = lacking(channel, quote);
    if (least > restOf(purse)) return undefined;
    const microUsdc = depositOf(purse, quote.request.suggestedDeposit, least);
    await this.admission.countTransaction(payment.accountId);
    const { bytes } = await this.chain.channels.topUp(termsOf(channel), microUsdc, this.keys.of(purse));
    const transaction = Buffer.from(bytes).toString('base64');
    // Not stored: another process has changed the channel, or the purse ends. The rows that are read now say which.
    if (!(await this.store.topUp(purse, channel, { microUsdc, transaction }))) return this.followable(channel, purse);
    this.failpoints.pass('channel.top_up_stored');
    return this.channels.at(channel.address);
  }

  /** The channel as it is now, to be tried again; undefined if its purse takes nothing more. */
  private async followable({ address }: Channel, { id }: Purse): Promise<Channel | undefined> {
    return (await this.purses.find(id)).status === 'open' ? this.channels.at(address) : undefined;
  }

  /** Sends a stored top-up. @throws ChainUnavailableError if the seller's answer is not known: the next payment sends it again */
  private async sent(channel: Channel, payment: Payment, quote: ChannelSessionQuote): Promise<Channel | undefined> {
    const { address: channelId, topUpMicroUsdc, topUpTransaction: transaction } = channel;
    const payload = { action: 'topUp', channelId, additionalAmount: `${topUpMicroUsdc}`, transaction };
    for (let sends = 0; sends < SENDS; sends++) {
      const answer = await this.sellers.send(payment, quote, payload, termsOf(channel).payer);
      this.failpoints.pass('channel.topped_up');
      if (answer && isServed(answer.status) && (await this.vouchers.isRaised(channel))) return this.channels.at(channel.address);
      if (answer && isFinal(answer)) return this.followed(channel, quote);
    }
    throw new ChainUnavailableError('the seller has not answered to a top-up of its channel');
  }

  /** Ends a channel whose seller takes no top-up. Waits for its rest if the purse has too little for another one. */
  private async followed(channel: Channel, quote: ChannelSessionQuote): Promise<undefined> {
    await this.channels.wantEnd(channel);
    for (const until = performance.now() + CLOSE_WAIT_MS; performance.now() < until; await setTimeout(CLOSE_POLL_MS)) {
      if (leastDeposit(quote) <= restOf(await this.purses.find(channel.purseId))) return undefined;
      if ((await this.channels.at(channel.address))?.status === 'closed') return undefined;
    }
    return undefined;
  }
}

/** The part of a price that the deposit of a channel does not cover. */
export const lacking = ({ acceptedMicroUsdc, depositMicroUsdc }: Channel, { microUsdc }: Quote): bigint =>
  acceptedMicroUsdc + microUsdc - depositMicroUsdc;

/** Whether an answer says what became of a top-up: served, or refused. */
const isFinal = ({ status }: ProviderAnswer): boolean => isServed(status) || (status < 500 && ![408, 425, 429].includes(status));
