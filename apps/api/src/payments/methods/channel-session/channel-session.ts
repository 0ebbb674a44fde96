import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Chain, ChainUnavailableError } from '#chain';
import type { Channel } from '../../../channels';
import { formatUsdc } from '../../../money/usdc';
import type { Purse } from '../../../purses';
import { Clock } from '../../../runtime/clock';
import { Failpoints } from '../../../runtime/failpoints';
import { Mutex } from '../../../runtime/mutex';
import { Credentials } from '../../credentials';
import type { Answered, Asked, Authorization, Funding, KeptAnswer, PaymentMethod, Step } from '../../payment-method';
import type { Payment } from '../../payment.entity';
import { PaymentStore } from '../../payment.store';
import { Declined } from '../../payments.errors';
import { isServed, receiptFor } from '../../provider-client';
import { type ChannelSessionQuote, offersChannelSession, quoteChannelSession } from '../../quotes/channel-session';
import { isAway } from '../charge/charge-settlement';
import { quoteWithin, type Source } from '../purse/purse-bounds';
import { ChannelOpenings } from './channel-openings';
import { ChannelSellers } from './channel-sellers';
import { ChannelSessionPurses } from './channel-session-purses';
import { ChannelSessionStore } from './channel-session.store';
import { ChannelTopUps } from './channel-top-ups';

/** How long a payment waits for an earlier one of its channel in another process. */
const CHANNEL_WAIT_MS = 60_000;
const CHANNEL_POLL_MS = 20;
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
  private readonly mutex = new Mutex();

  constructor(
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly purses: ChannelSessionPurses,
    private readonly openings: ChannelOpenings,
    private readonly topUps: ChannelTopUps,
    private readonly sellers: ChannelSellers,
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
    const quote = (ask: Asked): ChannelSessionQuote => quoteChannelSession(ask, terms);
    return purse ? quoteWithin(purse, asked, payment, quote) : quote(asked);
  }

  async check(payment: Payment, quote: ChannelSessionQuote, funding: Funding): Promise<void> {
    requirePay(payment);
    const { account } = funding;
    const purse = funding.purse ?? (await this.purses.check(payment, quote, funding));
    if (!purse || (await this.openings.usable(payment, quote, { account, purse }))) return;
    if (!(await this.topUps.isPossible(payment, quote, { account, purse })))
      await this.openings.deposit(payment, quote, { account, purse });
  }

  async authorize(payment: Payment, quote: ChannelSessionQuote, funding: Funding): Promise<Authorization> {
    requirePay(payment);
    const { account } = funding;
    const { release } = await this.mutex.acquire(`${payment.accountId} ${payment.provider}`);
    try {
      const purse = funding.purse ?? (await this.purses.purseFor(payment, quote, funding));
      return { payment: await this.authorized(payment, quote, { account, purse }), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  private async authorized(payment: Payment, quote: ChannelSessionQuote, source: Source): Promise<Payment> {
    for (const until = performance.now() + CHANNEL_WAIT_MS; ; await setTimeout(CHANNEL_POLL_MS)) {
      const usable = await this.openings.usable(payment, quote, source);
      const raised = usable ?? (await this.topUps.raised(payment, quote, source));
      const channel = raised ?? (await this.openings.open(payment, quote, source));
      const authorized = channel.payingPaymentId === null ? await this.issue(payment, quote, channel, source.purse) : undefined;
      if (authorized) return authorized;
      if ((await this.payments.find(payment.id)).status !== 'created')
        throw new ChainUnavailableError('another process took the payment up');
      if (performance.now() > until) throw new ChainUnavailableError('another payment of the channel has no answer yet');
    }
  }

  /** Stores the next voucher of a channel. Undefined if the channel is not as it was read. */
  private async issue(payment: Payment, quote: ChannelSessionQuote, channel: Channel, purse: Purse): Promise<Payment | undefined> {
    const cumulative = channel.acceptedMicroUsdc + quote.microUsdc;
    const { microUsdc, payee, category, challenge, challengeId } = quote;
    const payload = await this.sellers.callPayload(channel, purse, cumulative);
    // Where its operator signs, the seller takes a repeated call for the same one by this key.
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

  /** 2xx: accepted. 402 or 410: refused, unless it was sent before and may have been accepted then. Anything else is not known. */
  async conclude(payment: Payment, { answer }: Answered<ChannelSessionQuote>): Promise<Step> {
    return { payment: await this.outcome(payment, answer), resend: false };
  }

  private async outcome(payment: Payment, answer: KeptAnswer | null): Promise<Payment> {
    if (answer && isServed(answer.status)) {
      const isReceipt = receiptFor(payment, answer.receipt, null) !== null;
      return this.accept(payment, answer, isReceipt ? answer.receipt : null);
    }
    const isRefused = answer !== null && (answer.status === 402 || answer.status === 410) && !payment.resent;
    if (isRefused) return this.refuse(payment, answer);
    if (payment.resent) return this.accept(payment, answer, null);
    await this.payments.release(payment.id);
    return this.payments.find(payment.id);
  }

  /** Never called: such a credential is not made for an agent with a client of its own. */
  concludeUnseen(payment: Payment): Promise<Payment> {
    return this.accept(payment, null, null);
  }

  /** Resends the same credential once, which sellers take as a replay. If the outcome is still unknown, the voucher counts as accepted. */
  async resume(payment: Payment): Promise<Step> {
    const resent = await this.payments.markResent(payment);
    return resent ? { payment: resent, resend: true } : { payment: await this.accept(payment, null, null), resend: false };
  }

  private async accept(payment: Payment, answer: KeptAnswer | null, receipt: string | null): Promise<Payment> {
    return (await this.store.accept(payment, answer, receipt, await this.chainNow())) ?? this.payments.find(payment.id);
  }

  /** The chain's clock; null while no node tells the time. */
  private async chainNow(): Promise<Date | null> {
    try {
      return await this.chain.sessions.now();
    } catch (error) {
      if (isAway(error)) return null;
      throw error;
    }
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
