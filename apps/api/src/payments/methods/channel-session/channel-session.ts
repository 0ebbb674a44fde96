import { Injectable } from '@nestjs/common';
import { Chain } from '#chain';
import type { Channel } from '../../../channels';
import { formatUsdc } from '../../../money/usdc';
import type { Purse } from '../../../purses';
import { Clock } from '../../../runtime/clock';
import { Failpoints } from '../../../runtime/failpoints';
import { Credentials } from '../../process/credentials';
import type { Answered, Asked, Funding, KeptAnswer, PaymentMethod, Step } from '../payment-method';
import type { Payment } from '../../payment.entity';
import type { PaymentLock } from '../payment-lock';
import { PaymentStore } from '../../payment.store';
import { Declined } from '../../payments.errors';
import { isServed, receiptFor } from '../../provider/provider-client';
import { type ChannelSessionQuote, offersChannelSession, quoteChannelSession } from '../../quotes/channel-session';
import { quoteWithin, type Source } from '../purse/purse-bounds';
import { ChannelOpenings } from './channel-openings';
import { ChannelSellers } from './channel-sellers';
import { ChannelSessionPurses } from './channel-session-purses';
import { ChannelSessionStore, UNRECEIPTED } from './channel-session.store';
import { ChannelTopUps } from './channel-top-ups';
import { refusalIn, VoucherChannels } from './voucher-channels';

const UNAUTHORIZABLE =
  'The provider opens a payment channel before it takes vouchers: only POST /v1/payments, which speaks with it, can pay it.';

/**
 * Pays MPP sellers whose sessions are channels of payment-channels, out of an open channel purse: the first call opens a channel, each call
 * raises the voucher of the channel by exactly its price, because the seller settles what was signed. A channel that is used up is topped up.
 * Calls in one channel follow each other.
 */
@Injectable()
export class ChannelSessionMethod implements PaymentMethod<ChannelSessionQuote> {
  readonly name = 'channel';
  readonly protocol = 'mpp';

  constructor(
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly purses: ChannelSessionPurses,
    private readonly openings: ChannelOpenings,
    private readonly topUps: ChannelTopUps,
    private readonly sellers: ChannelSellers,
    private readonly vouchers: VoucherChannels,
    private readonly credentials: Credentials,
    private readonly store: ChannelSessionStore,
    private readonly payments: PaymentStore,
    private readonly failpoints: Failpoints,
  ) {}

  isOffered(asked: Asked): boolean {
    return offersChannelSession(asked);
  }

  quote(asked: Asked, payment: Payment, { purse }: Funding): ChannelSessionQuote {
    const terms = { now: this.clock.now(), identity: this.chain.identity, maxMicroUsdc: payment.maxMicroUsdc };
    return quoteWithin(purse, asked, payment, (ask) => quoteChannelSession(ask, terms));
  }

  async check(payment: Payment, quote: ChannelSessionQuote, funding: Funding): Promise<void> {
    requirePay(payment);
    const { account } = funding;
    const purse = funding.purse ?? (await this.purses.check(payment, quote, funding));
    if (!purse || (await this.openings.usable(payment, quote, { account, purse }))) return;
    if (!(await this.topUps.isPossible(payment, quote, { account, purse })))
      await this.openings.deposit(payment, quote, { account, purse });
  }

  async authorize(payment: Payment, quote: ChannelSessionQuote, funding: Funding, lock: PaymentLock): Promise<Payment> {
    requirePay(payment);
    const { account } = funding;
    await lock.take(`${this.protocol} ${payment.accountId} ${payment.provider}`);
    const purse = funding.purse ?? (await this.purses.purseFor(payment, quote, funding));
    return this.authorized(payment, quote, { account, purse });
  }

  private authorized(payment: Payment, quote: ChannelSessionQuote, source: Source): Promise<Payment> {
    return this.vouchers.authorizedInTurn(payment, async () => {
      const usable = await this.openings.usable(payment, quote, source);
      const raised = usable ?? (await this.topUps.raised(payment, quote, source));
      const channel = raised ?? (await this.openings.open(payment, quote, source));
      return channel.payingPaymentId === null ? this.issue(payment, quote, channel, source.purse) : undefined;
    });
  }

  /** Stores the next voucher of a channel. Undefined if the channel is not as it was read. */
  private async issue(payment: Payment, quote: ChannelSessionQuote, channel: Channel, purse: Purse): Promise<Payment | undefined> {
    const cumulative = channel.acceptedMicroUsdc + quote.microUsdc;
    const { microUsdc, payee, category, challenge, challengeId } = quote;
    const payload = await this.sellers.callPayload(channel, purse, cumulative);
    // If its operator signs, the seller takes a repeated call for the same one by this key.
    const idempotencyKey = channel.proofChallengeId === null ? undefined : payment.id;
    const credentialSealed = this.credentials.seal(payment, challenge, payload, purse.delegateKey, idempotencyKey);
    this.failpoints.pass('payment.signed');
    const authorized = await this.store.authorize(
      payment,
      channel,
      { microUsdc, payee, category, challengeId, credentialSealed },
      { cumulative, challenge },
    );
    this.failpoints.pass('payment.authorized');
    return authorized;
  }

  async conclude(payment: Payment, { answer }: Answered<ChannelSessionQuote>): Promise<Step> {
    return { payment: await this.outcome(payment, answer), resend: false };
  }

  private outcome(payment: Payment, answer: KeptAnswer | null): Promise<Payment> {
    const refusal = refusalIn(payment, answer);
    if (refusal) return this.refuse(payment, refusal);
    const isReceipt = answer !== null && isServed(answer.status) && receiptFor(payment, answer.receipt, null) !== null;
    return this.vouchers.answered(payment, answer, isReceipt ? { receipt: answer.receipt, cumulative: null } : UNRECEIPTED);
  }

  /** Never called: such a credential is not made for an agent with a client of its own. */
  concludeUnseen(payment: Payment): Promise<Payment> {
    return this.vouchers.accept(payment, null, UNRECEIPTED);
  }

  resume(payment: Payment): Promise<Step> {
    return this.vouchers.resume(payment);
  }

  private async refuse(payment: Payment, answer: KeptAnswer): Promise<Payment> {
    const message = `The provider refused the voucher${answer.problem === null ? '' : `: ${answer.problem}`}. It is not paid for this call.`;
    const violation = { rule: 'provider_refused', message, attempted_usdc: formatUsdc(payment.microUsdc) };
    return (await this.store.refuse(payment, violation, answer)) ?? this.payments.find(payment.id);
  }
}

/** @throws Declined for an agent that wants the credential itself */
function requirePay({ mode }: Payment): void {
  if (mode === 'authorize') throw Declined.because('unsupported_method', UNAUTHORIZABLE);
}
