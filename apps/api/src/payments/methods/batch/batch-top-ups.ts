import { Injectable } from '@nestjs/common';
import { Chain } from '#chain';
import { depositContent } from '#x402';
import { type Channel, termsOf } from '../../../channels';
import { PurseKeys, PurseStore } from '../../../purses';
import { Failpoints } from '../../../runtime/failpoints';
import { Credentials } from '../../process/credentials';
import type { Payment } from '../../payment.entity';
import type { BatchQuote } from '../../quotes/batch-settlement';
import { MARGIN_SECONDS } from '../channel/channel-funding';
import { declinedIfRefused } from '../channel/channel-signing';
import { ChannelSessionStore } from '../channel-session/channel-session.store';
import { lacking } from '../channel-session/channel-top-ups';
import { depositOf, PurseBounds, restOf, type Source } from '../purse/purse-bounds';
import { batchChannel, BatchCredentials, keptDemand } from './batch-credentials';
import { BatchOpenings, memoOf } from './batch-openings';

/** Raises the deposits of channels of `batch-settlement` that are used up: a call carries the signed top-up beside its voucher. */
@Injectable()
export class BatchTopUps {
  constructor(
    private readonly chain: Chain,
    private readonly keys: PurseKeys,
    private readonly purses: PurseStore,
    private readonly bounds: PurseBounds,
    private readonly openings: BatchOpenings,
    private readonly signing: BatchCredentials,
    private readonly credentials: Credentials,
    private readonly store: ChannelSessionStore,
    private readonly failpoints: Failpoints,
  ) {}

  /** The open channel that a payment would top up; undefined if another one would be opened. @throws Declined, ChainUnavailable */
  async raisable(payment: Payment, quote: BatchQuote, { account, purse: { id } }: Source): Promise<Channel | undefined> {
    const purse = await this.purses.find(id);
    const source = { account, purse };
    const channels = await this.openings.channelsOf(payment, quote, source);
    const channel = channels.find(
      ({ status, payingPaymentId, topUpTransaction }) => status === 'open' && !payingPaymentId && !topUpTransaction,
    );
    if (!channel || lacking(channel, quote) > restOf(purse)) return undefined;
    // A top-up comes back within the grace period, as a deposit does: the purse must live that long.
    await this.bounds.requirePaying(payment, quote, source, quote.requirements.graceSeconds + MARGIN_SECONDS);
    return channel;
  }

  /**
   * Signs a top-up and the next voucher, and stores both before they are sent. Undefined if the channel is not as it was read.
   * @throws Declined, ChainUnavailable
   */
  async authorize(payment: Payment, quote: BatchQuote, channel: Channel, { account, purse: { id } }: Source): Promise<Payment | undefined> {
    const { requirements } = quote;
    const purse = await this.purses.find(id);
    const microUsdc = depositOf(purse, requirements.minDeposit, lacking(channel, quote));
    const terms = termsOf(channel);
    const { recentBlockhash = null } = requirements;
    const opening = { terms, memos: [memoOf(requirements)], recentBlockhash, minContextSlot: Number(account.observedSlot) };
    const { transaction } = await declinedIfRefused(() => this.chain.channels.buildTopUp(opening, microUsdc, this.keys.of(purse)));
    const demand = this.signing.demandOf(quote);
    const cumulative = channel.acceptedMicroUsdc + quote.microUsdc;
    const proof = await this.signing.proof(channel, purse, demand, { id: payment.id, microUsdc: quote.microUsdc, cumulative });
    const content = depositContent(batchChannel(channel, requirements.object), proof, { amount: microUsdc, transaction });
    const credentialSealed = this.credentials.sealX402(payment, this.signing.payment(demand, content, payment.id));
    this.failpoints.pass('payment.signed');
    const voucher = { cumulative, challenge: keptDemand(demand) };
    const authorized = await this.store.authorizeTopUp(payment, channel, { ...quote, credentialSealed }, voucher, {
      microUsdc,
      transaction,
    });
    this.failpoints.pass('payment.authorized');
    return authorized;
  }
}
