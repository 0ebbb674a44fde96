import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Chain, type ChannelTerms } from '#chain';
import { buildPayment, type UptoRequirements, uptoContent } from '#x402';
import type { Purse } from '../../../purses';
import { Clock } from '../../../runtime/clock';
import { Failpoints } from '../../../runtime/failpoints';
import { Credentials } from '../../process/credentials';
import { type Answered, type Asked, type Funding, type PaymentMethod, type Step } from '../payment-method';
import type { Payment } from '../../payment.entity';
import { offersUpto, quoteUpto, type UptoQuote } from '../../quotes/upto';
import { PurseBounds, quoteWithin, type Source } from '../purse/purse-bounds';
import { readAnswer } from '../x402-answer';
import { ChannelFunding, MARGIN_SECONDS } from './channel-funding';
import { type ChannelCredential, ChannelPaymentStore } from './channel-payment.store';
import { ChannelSettlement } from './channel-settlement';
import { ChannelSigning } from './channel-signing';
import { FundedPayments } from './funded-payments';

/** A channel that its seller has not settled is closed by force so long after the time that the seller has. */
const CLOSE_AFTER_MS = 60_000;
const ALL_BPS = 10_000;

/**
 * Pays metered sellers of x402, scheme `upto`: the seller's facilitator opens a payment channel with the maximum out of an open channel
 * purse, or one that the payment funds for itself; the seller settles what it used, and the rest comes back to the purse. The purse was
 * judged and reserved as every other; the chain does not bind its destination.
 */
@Injectable()
export class ChannelMethod implements PaymentMethod<UptoQuote> {
  readonly name = 'channel';
  readonly protocol = 'x402';

  constructor(
    private readonly chain: Chain,
    private readonly clock: Clock,
    private readonly funding: ChannelFunding,
    private readonly funded: FundedPayments,
    private readonly signing: ChannelSigning,
    private readonly bounds: PurseBounds,
    private readonly credentials: Credentials,
    private readonly settlement: ChannelSettlement,
    private readonly store: ChannelPaymentStore,
    private readonly failpoints: Failpoints,
  ) {}

  isOffered(asked: Asked): boolean {
    return offersUpto(asked);
  }

  quote(asked: Asked, payment: Payment, { purse }: Funding): UptoQuote {
    const bounds = { identity: this.chain.identity, maxMicroUsdc: payment.maxMicroUsdc };
    return quoteWithin(purse, asked, payment, (ask) => quoteUpto(ask, bounds));
  }

  /** The offer of the seller, for a purse of any host and category. */
  priceOf(asked: Asked, { maxMicroUsdc }: Payment, { purse }: Funding): UptoQuote {
    const quote = quoteUpto(purse ? { ...asked, provider: null } : asked, { identity: this.chain.identity, maxMicroUsdc });
    return purse ? { ...quote, category: purse.category } : quote;
  }

  async check(payment: Payment, quote: UptoQuote, funding: Funding): Promise<void> {
    if (funding.purse) await this.requireWithin(payment, quote, { account: funding.account, purse: funding.purse });
    else await this.funding.check(payment, quote, funding);
  }

  /** Out of an open purse: the chain is asked for nothing but its clock and the policy. Else the payment funds a purse for itself. */
  async authorize(payment: Payment, quote: UptoQuote, funding: Funding): Promise<Payment> {
    const { account, purse } = funding;
    if (purse) return this.authorizedOutOf(payment, quote, { account, purse });
    return this.funded.authorized(payment, quote, funding, (begun, source) => this.stored(begun, quote, source));
  }

  private async authorizedOutOf(payment: Payment, quote: UptoQuote, source: Source): Promise<Payment> {
    await this.requireWithin(payment, quote, source);
    const authorized = await this.stored(payment, quote, source);
    if (!authorized) throw await this.bounds.reasonAgainst(payment, quote, source.purse);
    return authorized;
  }

  /** Stores a new credential. Undefined if the purse has no room for it, or the payment is no longer to be authorized. */
  private async stored(payment: Payment, quote: UptoQuote, source: Source): Promise<Payment | undefined> {
    const authorized = await this.store.authorize(payment, source.purse, quote, await this.credential(payment, quote, source));
    if (authorized) this.failpoints.pass('channel.authorized');
    return authorized;
  }

  /** The rest of a channel that its seller leaves open comes back within the grace period: so long the purse must live. */
  private requireWithin(payment: Payment, quote: UptoQuote, source: Source): Promise<void> {
    return this.bounds.require(payment, quote, source, quote.requirements.graceSeconds + MARGIN_SECONDS);
  }

  /** Signs the opening and builds the credential. @throws Declined if it would fail on chain */
  private async credential(payment: Payment, quote: UptoQuote, source: Source): Promise<ChannelCredential> {
    const { required, requirements, payee } = quote;
    const terms = termsFor(requirements, source.purse, await this.chain.channels.openSlot());
    const { memo, recentBlockhash = null } = requirements;
    const opening = { payee, terms, memos: memo === undefined ? [] : [memo], recentBlockhash };
    const { transaction, channel } = await this.signing.opening(payment, source, opening);
    const validAfter = Math.floor(this.clock.now().getTime() / 1000);
    const content = uptoContent(requirements, {
      from: terms.payer,
      channel: channel.address,
      salt: terms.salt,
      openSlot: terms.openSlot,
      validAfter,
      expiresAt: validAfter + requirements.maxTimeoutSeconds,
      transaction,
    });
    const built = buildPayment({ required, requirements, content, paymentId: payment.id });
    const closeAt = new Date((await this.chain.clock.now()).getTime() + requirements.maxTimeoutSeconds * 1000 + CLOSE_AFTER_MS);
    return { credentialSealed: this.credentials.sealX402(payment, built), channel: { ...channel, closeAt } };
  }

  async conclude(payment: Payment, answered: Answered<UptoQuote>): Promise<Step> {
    const read = readAnswer(answered);
    if (read.kind === 'again') {
      await setTimeout(read.pauseMs);
      return { payment, resend: true };
    }
    return { payment: await this.settlement.conclude(payment, answered.answer, read.receipt, read.waitMs), resend: false };
  }

  /** The chain shows whether the agent used it. */
  async concludeUnseen(payment: Payment): Promise<Payment> {
    return payment;
  }

  /** Never resends: the chain shows the outcome. */
  async resume(payment: Payment): Promise<Step> {
    return { payment: await this.settlement.resume(payment), resend: false };
  }
}

/** The channel that a seller asks for, out of a purse. The facilitator is its payee, and may close it. */
function termsFor(
  { feePayer, asset, receiverAuthorizer, amount, graceSeconds, payTo, isUndistributed }: UptoRequirements,
  purse: Purse,
  openSlot: bigint,
): ChannelTerms {
  return {
    payer: purse.delegateKey,
    rentPayer: feePayer,
    payee: feePayer,
    mint: asset,
    authorizedSigner: receiverAuthorizer,
    salt: randomBytes(8).readBigUInt64LE(),
    openSlot,
    deposit: amount,
    graceSeconds,
    recipients: isUndistributed ? [] : [{ owner: payTo, shareBps: ALL_BPS }],
  };
}
