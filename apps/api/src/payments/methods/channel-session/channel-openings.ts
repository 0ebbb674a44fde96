import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Chain, ChainUnavailableError, type ChannelTerms } from '#chain';
import { type Channel, ChannelStore } from '../../../channels';
import { type Purse, PurseStore } from '../../../purses';
import { Failpoints } from '../../../runtime/failpoints';
import type { Payment } from '../../payment.entity';
import { Declined } from '../../payments.errors';
import { isServed } from '../../provider/provider-client';
import type { ChannelSessionQuote } from '../../quotes/channel-session';
import { MARGIN_SECONDS } from '../channel/channel-funding';
import { ChannelSigning } from '../channel/channel-signing';
import { depositOf, PurseBounds, requireRest, type Source } from '../purse/purse-bounds';
import { ChannelSellers } from './channel-sellers';
import { ChannelSessionStore } from './channel-session.store';
import { VoucherChannels } from './voucher-channels';

/** How long the opening of a channel is looked for after its seller's answer. */
const OPEN_WAIT_MS = 10_000;
const OPEN_POLL_MS = 200;

/** The channels that vouchers are made for: an open one of the seller's, else a new one out of the purse. */
@Injectable()
export class ChannelOpenings {
  constructor(
    private readonly chain: Chain,
    private readonly bounds: PurseBounds,
    private readonly channels: ChannelStore,
    private readonly purses: PurseStore,
    private readonly signing: ChannelSigning,
    private readonly sellers: ChannelSellers,
    private readonly vouchers: VoucherChannels,
    private readonly store: ChannelSessionStore,
    private readonly failpoints: Failpoints,
  ) {}

  /** The open channel with the seller that has room; undefined if one would be opened. @throws Declined, ChainUnavailable */
  async usable(payment: Payment, quote: ChannelSessionQuote, source: Source): Promise<Channel | undefined> {
    await this.bounds.requirePaying(payment, quote, source);
    for (const channel of await this.sellers.channelsOf(source.purse, payment, quote))
      if (await this.vouchers.takes(channel, quote.microUsdc)) return channel;
    return undefined;
  }

  /** The deposit of a new channel, in micro-USDC. @throws Declined, ChainUnavailable */
  async deposit(payment: Payment, quote: ChannelSessionQuote, { account, purse: { id } }: Source): Promise<bigint> {
    const purse = await this.purses.find(id);
    await this.bounds.requirePaying(payment, quote, { account, purse }, quote.graceSeconds + MARGIN_SECONDS);
    const least = leastDeposit(quote);
    requireRest(purse, least);
    return depositOf(purse, quote.request.suggestedDeposit, least);
  }

  /**
   * Opens a channel: the seller submits what the key of the purse signed. The channel is stored before it is sent, and found on chain by a
   * later payment if this process dies. @throws Declined, ChainUnavailable
   */
  async open(payment: Payment, quote: ChannelSessionQuote, source: Source): Promise<Channel> {
    const deposit = await this.deposit(payment, quote, source);
    const { purse } = source;
    const terms = await this.terms(quote, purse, deposit);
    const { recentBlockhash = null } = quote.request;
    const opening = { payee: quote.payee, terms, memos: [], recentBlockhash };
    const { transaction, channel: signed } = await this.signing.opening(payment, source, opening);
    const { address } = signed;
    const proofChallengeId = quote.operator === null ? null : quote.challengeId;
    const isStored = await this.store.opening(purse, {
      ...signed,
      closeAt: await this.closeAt(quote.idleSeconds),
      protocol: 'mpp',
      paysBy: 'vouchers',
      challenge: { ...quote.challenge },
      idleSeconds: quote.idleSeconds,
      proofChallengeId,
    });
    if (!isStored) throw await this.bounds.reasonAgainst(payment, { ...quote, microUsdc: deposit }, purse);
    this.failpoints.pass('channel.opening_stored');
    const proof = await this.sellers.proof({ address, proofChallengeId }, purse);
    const payload = { ...openPayload(address, terms, transaction), ...proof };
    const answer = await this.sellers.send(payment, quote, payload, terms.payer);
    this.failpoints.pass('channel.opened');
    const channel = await this.channels.at(address);
    if (channel && (await this.isShownSoon(channel, answer !== null && isServed(answer.status)))) return { ...channel, status: 'open' };
    if (answer === null || isServed(answer.status)) throw new ChainUnavailableError('no node shows the channel yet');
    throw Declined.because(
      'provider_refused',
      `The provider did not open the channel${answer.problem === null ? '' : `: ${answer.problem}`}. It is not paid for this call.`,
    );
  }

  /** When a channel is closed whose seller has heard nothing for its idle time, by the chain's clock. */
  private async closeAt(idleSeconds: number): Promise<Date> {
    return new Date((await this.chain.clock.now()).getTime() + idleSeconds * 1000);
  }

  private async terms(
    { feePayer, payee, operator, graceSeconds, request }: ChannelSessionQuote,
    purse: Purse,
    deposit: bigint,
  ): Promise<ChannelTerms> {
    return {
      payer: purse.delegateKey,
      rentPayer: feePayer,
      payee,
      mint: request.currency,
      authorizedSigner: operator ?? purse.delegateKey,
      salt: randomBytes(8).readBigUInt64LE(),
      openSlot: request.recentSlot ?? (await this.chain.channels.openSlot()),
      deposit,
      graceSeconds,
      recipients: [],
    };
  }

  private async isShownSoon(channel: Channel, isClaimed: boolean): Promise<boolean> {
    for (const until = performance.now() + (isClaimed ? OPEN_WAIT_MS : 0); ; await setTimeout(OPEN_POLL_MS)) {
      if (await this.vouchers.isShown(channel)) return true;
      if (performance.now() >= until) return false;
    }
  }
}

/** The least that a channel can be opened with, in micro-USDC: the price of a call, or more if the seller asks for it. */
export const leastDeposit = ({ microUsdc, request: { minimumDeposit = 0n } }: ChannelSessionQuote): bigint =>
  minimumDeposit > microUsdc ? minimumDeposit : microUsdc;

function openPayload(channelId: string, terms: ChannelTerms, transaction: string): Record<string, unknown> {
  return {
    action: 'open',
    channelId,
    payer: terms.payer,
    payee: terms.payee,
    mint: terms.mint,
    authorizedSigner: terms.authorizedSigner,
    salt: `${terms.salt}`,
    depositAmount: `${terms.deposit}`,
    gracePeriodSeconds: terms.graceSeconds,
    openSlot: `${terms.openSlot}`,
    transaction,
  };
}
