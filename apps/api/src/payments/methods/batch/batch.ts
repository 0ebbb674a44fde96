import { Injectable } from '@nestjs/common';
import { Chain, isSignedBy } from '#chain';
import { voucherBytes } from '#mpp';
import { type BatchVoucher, callContent, isAccepted, voucherIn } from '#x402';
import { type Channel, ChannelStore, operatorOf } from '../../../channels';
import { formatUsdc } from '../../../money/usdc';
import type { Purse } from '../../../purses';
import { Failpoints } from '../../../runtime/failpoints';
import { Credentials } from '../../process/credentials';
import type { Answered, Asked, Funding, KeptAnswer, PaymentMethod, Step } from '../payment-method';
import type { Payment } from '../../payment.entity';
import type { PaymentLock } from '../payment-lock';
import { PaymentStore } from '../../payment.store';
import { isServed } from '../../provider/provider-client';
import { type BatchQuote, offersBatchSettlement, quoteBatchSettlement } from '../../quotes/batch-settlement';
import { ChannelFunding } from '../channel/channel-funding';
import { ChannelSettlement } from '../channel/channel-settlement';
import { FundedPayments } from '../channel/funded-payments';
import { type Acceptance, ChannelSessionStore, UNRECEIPTED } from '../channel-session/channel-session.store';
import { refusalIn, VoucherChannels } from '../channel-session/voucher-channels';
import { quoteWithin, type Source } from '../purse/purse-bounds';
import { batchChannel, BatchCredentials, keptDemand } from './batch-credentials';
import { BatchCorrections } from './batch-corrections';
import { BatchOpenings } from './batch-openings';
import { BatchTopUps } from './batch-top-ups';

/**
 * Pays x402 sellers of the scheme `batch-settlement` out of an open channel purse, or one that the payment funds for itself: the
 * first call opens a channel, each call raises the channel's voucher by exactly its price. Calls in one channel follow each other. A channel
 * that is used up is topped up; one whose seller refuses a voucher is followed by another. A seller whose operator's key is pinned signs the vouchers itself.
 */
@Injectable()
export class BatchMethod implements PaymentMethod<BatchQuote> {
  readonly name = 'channel';
  readonly protocol = 'x402';

  constructor(
    private readonly chain: Chain,
    private readonly channels: ChannelStore,
    private readonly funding: ChannelFunding,
    private readonly openings: BatchOpenings,
    private readonly topUps: BatchTopUps,
    private readonly corrections: BatchCorrections,
    private readonly vouchers: VoucherChannels,
    private readonly signing: BatchCredentials,
    private readonly credentials: Credentials,
    private readonly settlement: ChannelSettlement,
    private readonly funded: FundedPayments,
    private readonly store: ChannelSessionStore,
    private readonly payments: PaymentStore,
    private readonly failpoints: Failpoints,
  ) {}

  isOffered(asked: Asked): boolean {
    return offersBatchSettlement(asked);
  }

  quote(asked: Asked, payment: Payment, { purse }: Funding): BatchQuote {
    const bounds = { identity: this.chain.identity, maxMicroUsdc: payment.maxMicroUsdc };
    return quoteWithin(purse, asked, payment, (ask) => quoteBatchSettlement(ask, bounds));
  }

  async check(payment: Payment, quote: BatchQuote, funding: Funding): Promise<void> {
    const { account, purse } = funding;
    if (!purse) return this.funding.check(payment, quote, funding);
    if (await this.openings.usable(payment, quote, { account, purse })) return;
    if (!(await this.topUps.raisable(payment, quote, { account, purse }))) await this.openings.deposit(payment, quote, { account, purse });
  }

  async authorize(payment: Payment, quote: BatchQuote, funding: Funding, lock: PaymentLock): Promise<Payment> {
    const { account, purse } = funding;
    await lock.take(`${this.protocol} ${payment.accountId} ${payment.provider}`);
    if (purse) return this.authorized(payment, quote, { account, purse });
    return this.funded.authorized(payment, quote, funding, (begun, source) => this.authorized(begun, quote, source));
  }

  private authorized(payment: Payment, quote: BatchQuote, source: Source): Promise<Payment> {
    return this.vouchers.authorizedInTurn(payment, async () => {
      const channel = await this.openings.usable(payment, quote, source);
      if (!channel) return this.covered(payment, quote, source);
      return channel.payingPaymentId === null ? this.issue(payment, quote, channel, source.purse) : undefined;
    });
  }

  /** Tops up the channel that is used up, or opens one. One whose top-up did not land is ended. Undefined if the channel is not as it was read. */
  private async covered(payment: Payment, quote: BatchQuote, source: Source): Promise<Payment | undefined> {
    await this.openings.endUnraised(payment, quote, source);
    const channel = await this.topUps.raisable(payment, quote, source);
    return channel ? this.topUps.authorize(payment, quote, channel, source) : this.openings.open(payment, quote, source);
  }

  /** Stores the next voucher of a channel. Undefined if the channel is not as it was read. */
  private async issue(payment: Payment, quote: BatchQuote, channel: Channel, purse: Purse): Promise<Payment | undefined> {
    const cumulative = channel.acceptedMicroUsdc + quote.microUsdc;
    const demand = this.signing.demandOf(quote);
    const config = batchChannel(channel, quote.requirements.object);
    const request = { id: payment.id, microUsdc: quote.microUsdc, cumulative };
    const content = callContent(config, await this.signing.proof(channel, purse, demand, request));
    const credentialSealed = this.credentials.sealX402(payment, this.signing.payment(demand, content, payment.id));
    this.failpoints.pass('payment.signed');
    const authorized = await this.store.authorize(
      payment,
      channel,
      { ...quote, credentialSealed },
      { cumulative, challenge: keptDemand(demand) },
    );
    this.failpoints.pass('payment.authorized');
    return authorized;
  }

  async conclude(payment: Payment, { answer, sends }: Answered<BatchQuote>): Promise<Step> {
    const refusal = refusalIn(payment, answer);
    if (!refusal) return { payment: await this.outcome(payment, answer), resend: false };
    const channel = await this.channels.paying(payment.id);
    const corrected = channel && sends === 1 ? await this.corrections.corrected(payment, channel, refusal) : undefined;
    return corrected ? { payment: corrected, resend: true } : { payment: await this.refuse(payment, channel, refusal), resend: false };
  }

  private async outcome(payment: Payment, answer: KeptAnswer | null): Promise<Payment> {
    const accepted = answer && isServed(answer.status) ? await this.acceptance(payment, answer) : UNRECEIPTED;
    return this.released(await this.vouchers.answered(payment, answer, accepted));
  }

  /**
   * The facts of a voucher that a served answer tells. If the seller's operator signs, its voucher is the receipt: it names what the call cost. One
   * that takes more than was allowed is none, and ends the channel.
   */
  private async acceptance(payment: Payment, { paymentResponse }: KeptAnswer): Promise<Acceptance> {
    if (!isAccepted(paymentResponse)) return UNRECEIPTED;
    const channel = await this.channels.paying(payment.id);
    const operator = channel ? operatorOf(channel) : null;
    if (!channel || operator === null) return { receipt: paymentResponse, cumulative: null };
    const voucher = voucherIn(paymentResponse);
    if (!voucher || voucher.channel !== channel.address || !isVoucherOf(operator, voucher)) return UNRECEIPTED;
    if (voucher.cumulative <= (payment.cumulativeMicroUsdc ?? 0n)) return { receipt: paymentResponse, cumulative: voucher.cumulative };
    await this.channels.wantEnd(channel);
    return UNRECEIPTED;
  }

  /** The agent sends the voucher itself: it counts as accepted. */
  async concludeUnseen(payment: Payment): Promise<Payment> {
    return this.released(await this.vouchers.accept(payment, null, UNRECEIPTED));
  }

  async resume(payment: Payment): Promise<Step> {
    const step = await this.vouchers.resume(payment);
    return step.resend ? step : { ...step, payment: await this.released(step.payment) };
  }

  /** The payment; once its outcome is known, the purse that it made for itself is ended. */
  private async released(payment: Payment): Promise<Payment> {
    if (payment.status !== 'unknown') await this.settlement.release(payment);
    return payment;
  }

  /** The seller counts otherwise than we do, or wants no channel: it is closed, and another one follows. */
  private async refuse(payment: Payment, channel: Channel | undefined, answer: KeptAnswer): Promise<Payment> {
    if (channel) await this.channels.wantEnd(channel);
    const message = 'The provider refused the voucher. It is not paid for this call.';
    const violation = { rule: 'provider_refused', message, attempted_usdc: formatUsdc(payment.microUsdc) };
    return this.released((await this.store.refuse(payment, violation, answer)) ?? (await this.payments.find(payment.id)));
  }
}

const isVoucherOf = (operator: string, { channel: channelId, cumulative, signature }: BatchVoucher): boolean =>
  isSignedBy(operator, voucherBytes({ channelId, cumulativeAmount: cumulative, expiresAt: 0n }), signature);
