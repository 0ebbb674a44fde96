import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Chain, type ChannelTerms } from '#chain';
import { type BatchRequirements, bindingMemo, depositContent } from '#x402';
import { type Channel, ChannelStore } from '../../../channels';
import { type Purse, PurseStore } from '../../../purses';
import { Failpoints } from '../../../runtime/failpoints';
import { Credentials } from '../../process/credentials';
import type { Payment } from '../../payment.entity';
import type { BatchQuote } from '../../quotes/batch-settlement';
import { MARGIN_SECONDS } from '../channel/channel-funding';
import { ChannelSigning } from '../channel/channel-signing';
import { ChannelSessionStore } from '../channel-session/channel-session.store';
import { VoucherChannels } from '../channel-session/voucher-channels';
import { depositOf, PurseBounds, requireRest, type Source } from '../purse/purse-bounds';
import { batchChannel, BatchCredentials, demandKept, keptDemand } from './batch-credentials';

const ALL_BPS = 10_000;
const MEMO_BYTES = 16;

/** The channels of `batch-settlement`: an open one of the seller, else a new one, which the first call's payment opens. */
@Injectable()
export class BatchOpenings {
  constructor(
    private readonly chain: Chain,
    private readonly openings: ChannelSigning,
    private readonly purses: PurseStore,
    private readonly channels: ChannelStore,
    private readonly bounds: PurseBounds,
    private readonly vouchers: VoucherChannels,
    private readonly signing: BatchCredentials,
    private readonly credentials: Credentials,
    private readonly store: ChannelSessionStore,
    private readonly failpoints: Failpoints,
  ) {}

  /**
   * The channel with the seller that has room, and whose terms are those that it asks for; undefined if one would be topped up or opened.
   * @throws Declined, ChainUnavailable
   */
  async usable(payment: Payment, quote: BatchQuote, source: Source): Promise<Channel | undefined> {
    await this.bounds.requirePaying(payment, quote, source);
    for (const channel of await this.channelsOf(payment, quote, source)) {
      if (channel.payingPaymentId !== null) return channel;
      const covered = await this.raised(channel);
      if (covered && (await this.vouchers.takes(covered, quote.microUsdc))) return covered;
    }
    return undefined;
  }

  /** The channels of a purse with the seller, on the terms that it asks for, newest first. */
  async channelsOf({ provider }: Payment, { payee, requirements }: BatchQuote, { purse }: Source): Promise<Channel[]> {
    const { feePayer, receiverAuthorizer, operator } = requirements;
    const signer = operator ?? purse.delegateKey;
    return (await this.channels.takingVouchers(purse.id, provider, payee)).filter((channel) => {
      const config = batchChannel(channel, demandKept(channel).requirements.object);
      const isBound = config.receiverAuthorizer === receiverAuthorizer && config.payerAuthorizer === signer;
      return isBound && channel.terms.rentPayer === feePayer;
    });
  }

  /** A channel with the deposit that the chain shows; undefined while it does not show its top-up. */
  private async raised(channel: Channel): Promise<Channel | undefined> {
    if (channel.topUpTransaction === null) return channel;
    return (await this.vouchers.isRaised(channel)) ? this.channels.at(channel.address) : undefined;
  }

  /** Ends the channels whose top-ups were answered and did not land. */
  async endUnraised(payment: Payment, quote: BatchQuote, source: Source): Promise<void> {
    for (const channel of await this.channelsOf(payment, quote, source))
      if (channel.topUpTransaction !== null && channel.payingPaymentId === null) await this.channels.wantEnd(channel);
  }

  /** The deposit of a new channel, in micro-USDC. @throws Declined, ChainUnavailable */
  async deposit(payment: Payment, quote: BatchQuote, { account, purse: { id } }: Source): Promise<bigint> {
    const purse = await this.purses.find(id);
    await this.bounds.requirePaying(payment, quote, { account, purse }, quote.requirements.graceSeconds + MARGIN_SECONDS);
    requireRest(purse, quote.microUsdc);
    return depositOf(purse, quote.requirements.minDeposit, quote.microUsdc);
  }

  /** Signs the opening of a channel with its first voucher, and stores both before they are sent. @throws Declined, ChainUnavailable */
  async open(payment: Payment, quote: BatchQuote, source: Source): Promise<Payment> {
    const { purse } = source;
    const { requirements, payee } = quote;
    const deposit = await this.deposit(payment, quote, source);
    const terms = await this.terms(quote, purse, deposit);
    const memos = [memoOf(requirements), bindingMemo(requirements.receiverAuthorizer)];
    const { recentBlockhash = null } = requirements;
    const { transaction, channel } = await this.openings.opening(payment, source, { payee, terms, memos, recentBlockhash });
    const demand = this.signing.demandOf(quote);
    const request = { id: payment.id, microUsdc: quote.microUsdc, cumulative: quote.microUsdc };
    const proof = await this.signing.proof(channel, purse, demand, request);
    const content = depositContent(batchChannel(channel, requirements.object), proof, { amount: deposit, transaction });
    const credentialSealed = this.credentials.sealX402(payment, this.signing.payment(demand, content, payment.id));
    this.failpoints.pass('payment.signed');
    const closeAt = new Date((await this.chain.clock.now()).getTime() + requirements.idleSeconds * 1000);
    const authorized = await this.store.authorizeOpening(
      payment,
      { ...quote, credentialSealed },
      {
        ...channel,
        closeAt,
        protocol: 'x402',
        paysBy: 'vouchers',
        challenge: keptDemand(demand),
        idleSeconds: requirements.idleSeconds,
        payingPaymentId: payment.id,
        signedMicroUsdc: quote.microUsdc,
      },
    );
    if (!authorized) throw await this.bounds.reasonAgainst(payment, { ...quote, microUsdc: deposit }, purse);
    this.failpoints.pass('payment.authorized');
    return authorized;
  }

  private async terms({ requirements, payee }: BatchQuote, purse: Purse, deposit: bigint): Promise<ChannelTerms> {
    return {
      payer: purse.delegateKey,
      rentPayer: requirements.feePayer,
      payee: requirements.feePayer,
      mint: requirements.asset,
      authorizedSigner: requirements.operator ?? purse.delegateKey,
      salt: randomBytes(8).readBigUInt64LE(),
      openSlot: await this.chain.channels.openSlot(),
      deposit,
      graceSeconds: requirements.graceSeconds,
      recipients: [{ owner: payee, shareBps: ALL_BPS }],
    };
  }
}

/** The memo of an opening or a top-up: the seller's, else one that makes it the only one. */
export const memoOf = ({ memo }: BatchRequirements): string => memo ?? randomBytes(MEMO_BYTES).toString('hex');
