import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Chain, ChainUnavailableError } from '#chain';
import { type Account, addressesOf } from '../../../accounts';
import { formatUsdc } from '../../../money/usdc';
import { isPolicyReverted, OrderForecasts, POLICY_REVERTED, underCurrentPolicy } from '../../../orders';
import { ChainUnavailable } from '../../../http/domain.errors';
import { Clock } from '../../../runtime/clock';
import { Failpoints } from '../../../runtime/failpoints';
import { type Session, SessionNotOpen, SessionReader, SessionVouchers } from '../../../sessions';
import { Credentials } from '../../process/credentials';
import type { Answered, Asked, Funding, KeptAnswer, PaymentMethod, Step } from '../payment-method';
import type { Payment } from '../../payment.entity';
import type { PaymentLock } from '../payment-lock';
import { PaymentStore } from '../../payment.store';
import { Declined } from '../../payments.errors';
import { isServed, receiptFor } from '../../provider/provider-client';
import { type MppQuote, offersIntent, quoteSession } from '../../quotes/mpp';
import { capExceeded, leftIn, SessionOpenings } from './session-openings';
import { VoucherStore } from './voucher.store';
import { Vouchers, type VoucherSession } from './vouchers';

/** How long a payment waits for earlier payments of its session, in this process and in others. */
const SESSION_WAIT_MS = 60_000;
const SESSION_POLL_MS = 10;
const MAX_CACHED_SESSIONS = 1_000;
/** Sessions that other payments used up while one payment waited for its turn in them. */
const MAX_SESSIONS_TRIED = 20;
/** Rules that say that an open session is for something else. */
const OTHER_PURPOSE: ReadonlySet<string> = new Set(['category_conflict', 'recipient_mismatch']);

/**
 * Pays by a voucher of a session: the next cumulative amount, signed by the session's key. Payments of one session follow each
 * other: the next voucher adds to what the provider accepted.
 */
@Injectable()
export class VoucherMethod implements PaymentMethod<MppQuote> {
  readonly name = 'voucher';
  readonly protocol = 'mpp';
  /** The facts that never change of the sessions that paid last. */
  private readonly known = new LRUCache<string, VoucherSession>({ max: MAX_CACHED_SESSIONS });

  constructor(
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly forecasts: OrderForecasts,
    private readonly openings: SessionOpenings,
    private readonly sessionReader: SessionReader,
    private readonly sessionVouchers: SessionVouchers,
    private readonly vouchers: Vouchers,
    private readonly credentials: Credentials,
    private readonly store: VoucherStore,
    private readonly payments: PaymentStore,
    private readonly failpoints: Failpoints,
  ) {}

  isOffered(asked: Asked): boolean {
    return offersIntent(asked, 'session');
  }

  /** Whether a session could pay one of the challenges. */
  takes(asked: Asked, payment: Payment, funding: Funding): boolean {
    try {
      return this.quote(asked, payment, funding).microUsdc > 0n;
    } catch (error) {
      if (error instanceof Declined) return false;
      throw error;
    }
  }

  quote(asked: Asked, { maxMicroUsdc }: Payment, { session }: Funding): MppQuote {
    return quoteSession(asked, { now: this.clock.now(), identity: this.chain.identity, maxMicroUsdc }, session);
  }

  /**
   * The open session with the provider that a call without one is paid out of: the newest that covers the price, else the newest. One for
   * another category or payee is passed over.
   */
  async openSessionFor(asked: Asked, payment: Payment, funding: Funding): Promise<Session | undefined> {
    const open = await this.sessionReader.openWith(payment.accountId, payment.provider);
    const takers = open.flatMap((session) => {
      try {
        const { microUsdc } = this.quote(asked, payment, { ...funding, session });
        return [{ session, fits: leftIn(session) >= microUsdc }];
      } catch (error) {
        if (!(error instanceof Declined)) throw error;
        return OTHER_PURPOSE.has(error.violation.rule) ? [] : [{ session, fits: false }];
      }
    });
    return (takers.find(({ fits }) => fits) ?? takers[0])?.session;
  }

  /** Payments of one session are checked side by side, and go in their order of arrival. */
  async authorize(payment: Payment, quote: MppQuote, funding: Funding, lock: PaymentLock): Promise<Payment> {
    for (let tries = 1; ; tries++) {
      const session = funding.session ?? (await this.openings.sessionFor(payment, quote, funding));
      try {
        await this.checkPayment(session, funding.account, quote);
        const hasWaited = await lock.take(session.id);
        const current = hasWaited ? await this.sessionReader.find(session.id) : session;
        return await this.issue(payment, current, quote, funding.account);
      } catch (error) {
        // Other payments have used it up, or ended it, before it was this one's turn.
        const isUsedUp = error instanceof SessionNotOpen || (error instanceof Declined && error.violation.rule === 'session_cap');
        if (funding.session || !isUsedUp || tries >= MAX_SESSIONS_TRIED) throw error;
        lock.release();
      }
    }
  }

  async check(payment: Payment, quote: MppQuote, funding: Funding): Promise<void> {
    const session = funding.session ?? (await this.openings.check(payment, quote, funding));
    if (!session) return;
    await this.checkPayment(session, funding.account, quote);
    if (leftIn(session) < quote.microUsdc) throw capExceeded(session, quote.microUsdc);
  }

  /** 2xx: accepted. 402 or 410: refused, unless it was sent before and may have been accepted then. Anything else is not known. */
  async conclude(payment: Payment, { answer }: Answered<MppQuote>): Promise<Step> {
    return { payment: await this.outcome(payment, answer), resend: false };
  }

  private async outcome(payment: Payment, answer: KeptAnswer | null): Promise<Payment> {
    const session = await this.sessionOf(payment);
    if (answer && isServed(answer.status)) {
      const isReceipt = receiptFor(payment, answer.receipt, session.address) !== null;
      return this.accept(payment, answer, isReceipt ? answer.receipt : null);
    }
    const isRefused = answer !== null && (answer.status === 402 || answer.status === 410) && !payment.resent;
    if (isRefused) return this.refuse(payment, session, answer);
    if (payment.resent) return this.accept(payment, answer, null);
    await this.payments.release(payment.id);
    return this.payments.find(payment.id);
  }

  /** Counts as accepted: the service does not learn whether the agent used it. */
  concludeUnseen(payment: Payment): Promise<Payment> {
    return this.accept(payment, null, null);
  }

  /** Resends the same credential once. If the outcome is still unknown, the voucher counts as accepted. */
  async resume(payment: Payment): Promise<Step> {
    const resent = payment.mode === 'pay' ? await this.payments.markResent(payment) : undefined;
    return resent ? { payment: resent, resend: true } : { payment: await this.accept(payment, null, null), resend: false };
  }

  /** The program's policy check of a payment inside a session. @throws Declined; SessionNotOpen by the chain's clock; ChainUnavailable. */
  private async checkPayment(session: Session, account: Account, { microUsdc, category }: MppQuote): Promise<void> {
    const payment = { ...addressesOf(account), session: session.address ?? '', microUsdc, category };
    const outcome = await underCurrentPolicy(account, () => this.chain.sessions.checkPayment(payment, Number(account.observedSlot)));
    if (outcome.kind === 'violation')
      throw new Declined(
        await this.forecasts.describe(outcome.violation, { operatorId: account.operatorId, accountId: account.id, microUsdc }),
      );
    if (outcome.kind === 'failed' && isPolicyReverted(outcome.failure)) throw new ChainUnavailable(POLICY_REVERTED);
    if (outcome.kind === 'failed')
      throw new SessionNotOpen(session.id, outcome.failure.reason === 'session_expired' ? 'expired' : 'closing');
  }

  /** Issues the next voucher and stores it, once no other payment of the session waits for its answer. */
  private async issue(payment: Payment, read: Session, quote: MppQuote, account: Account): Promise<Payment> {
    const until = performance.now() + SESSION_WAIT_MS;
    for (let session = read; ; session = await this.sessionReader.find(read.id)) {
      if (session.state !== 'open') throw new SessionNotOpen(session.id, session.state);
      const authorized = session.payingPaymentId === null ? await this.issueNext(payment, session, quote, account) : undefined;
      if (authorized) return authorized;
      if (session === read) continue;
      if ((await this.payments.find(payment.id)).status !== 'created')
        throw new ChainUnavailableError('another process took the payment up');
      if (performance.now() > until) throw new ChainUnavailableError('other payments of the session have no answer yet');
      await setTimeout(SESSION_POLL_MS);
    }
  }

  /**
   * The voucher above the accepted amount. Undefined if the session is not as it was read. @throws Declined if the cap is too low.
   */
  private async issueNext(payment: Payment, session: Session, quote: MppQuote, account: Account): Promise<Payment | undefined> {
    const cumulative = session.acceptedMicroUsdc + quote.microUsdc;
    if (cumulative > session.capMicroUsdc) {
      await this.sessionVouchers.reachCap(session);
      throw capExceeded(session, quote.microUsdc);
    }
    const voucher = await this.vouchers.issue(session, cumulative);
    const payload = this.vouchers.payload(session, voucher);
    const credentialSealed = this.credentials.seal(payment, quote.challenge, payload, account.chainAddress);
    this.failpoints.pass('payment.signed');
    const { microUsdc, payee, category, challengeId } = quote;
    const authorized = await this.store.authorize(payment, session, { microUsdc, payee, category, challengeId, credentialSealed }, voucher);
    this.failpoints.pass('payment.authorized');
    if (authorized) this.known.set(session.id, session);
    return authorized;
  }

  private async accept(payment: Payment, answer: KeptAnswer | null, receipt: string | null): Promise<Payment> {
    return (await this.store.accept(payment, answer, receipt)) ?? this.payments.find(payment.id);
  }

  private async refuse(payment: Payment, session: VoucherSession, answer: KeptAnswer): Promise<Payment> {
    const before = await this.vouchers.issue(session, (payment.cumulativeMicroUsdc ?? 0n) - payment.microUsdc);
    const message = `The provider refused the voucher${answer.problem === null ? '' : `: ${answer.problem}`}. It is not paid for this call.`;
    const violation = { rule: 'provider_refused', message, attempted_usdc: formatUsdc(payment.microUsdc) };
    return (await this.store.refuse(payment, violation, answer, before)) ?? this.payments.find(payment.id);
  }

  private async sessionOf({ sessionId }: Payment): Promise<VoucherSession> {
    const id = sessionId ?? '';
    return this.known.get(id) ?? this.sessionReader.find(id);
  }
}
