import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Chain, ChainUnavailableError } from '#chain';
import type { Account } from '../../accounts';
import { formatUsdc } from '../../money/usdc';
import { OrdersService } from '../../orders';
import { Clock } from '../../runtime/clock';
import { Failpoints } from '../../runtime/failpoints';
import { Mutex } from '../../runtime/mutex';
import {
  type CreateSessionDto,
  type EarlierOpening,
  type PreparedOpening,
  requirePayee,
  type Session,
  SessionNotOpen,
  SessionsService,
  SessionStore,
} from '../../sessions';
import { Credentials } from '../credentials';
import type { Answered, Asked, Authorization, Funding, PaymentMethod, Step } from '../payment-method';
import type { Payment } from '../payment.entity';
import { PaymentStore } from '../payment.store';
import { Declined } from '../payments.errors';
import { type ProviderAnswer, receiptFor } from '../provider-client';
import { type MppQuote, offersIntent, quoteSession } from '../quote';
import { VoucherStore } from './voucher.store';
import { Vouchers, type VoucherSession } from './vouchers';

/** How long a payment waits for earlier payments of its session, in this process and in others. */
const SESSION_WAIT_MS = 60_000;
const SESSION_POLL_MS = 10;
const MAX_CACHED_SESSIONS = 1_000;

/**
 * Pays by a voucher of a session: the next cumulative amount, signed by the session's key. Payments of one session follow each
 * other: the next voucher adds to what the provider accepted.
 */
@Injectable()
export class VoucherMethod implements PaymentMethod<MppQuote> {
  readonly name = 'voucher';
  readonly protocol = 'mpp';
  /** Payments of one session in this process go in their order of arrival. */
  private readonly mutex = new Mutex();
  /** What never changes of the sessions that paid last. */
  private readonly known = new LRUCache<string, VoucherSession>({ max: MAX_CACHED_SESSIONS });

  constructor(
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly orders: OrdersService,
    private readonly sessions: SessionsService,
    private readonly sessionStore: SessionStore,
    private readonly vouchers: Vouchers,
    private readonly credentials: Credentials,
    private readonly store: VoucherStore,
    private readonly payments: PaymentStore,
    private readonly failpoints: Failpoints,
  ) {}

  isOffered(asked: Asked): boolean {
    return offersIntent(asked, 'session');
  }

  quote(asked: Asked, { maxMicroUsdc }: Payment, { session }: Funding): MppQuote {
    return quoteSession(asked, { now: this.clock.now(), identity: this.chain.identity, maxMicroUsdc }, session);
  }

  async authorize(payment: Payment, quote: MppQuote, funding: Funding): Promise<Authorization> {
    const session = funding.session ?? (await this.openFor(payment, quote, funding));
    await this.checkPayment(session, funding.account, quote);
    const { release, hasWaited } = await this.mutex.acquire(session.id);
    try {
      const current = hasWaited ? await this.sessionStore.find(session.id) : session;
      return { payment: await this.issue(payment, current, quote, funding.account), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async check(payment: Payment, quote: MppQuote, funding: Funding): Promise<void> {
    const { session, account } = funding;
    if (!session) {
      await this.requireOpening(await this.sessions.prepare(funding.caller, openingRequest(payment, quote, funding)));
      return;
    }
    await this.checkPayment(session, account, quote);
    if (session.acceptedMicroUsdc + quote.microUsdc > session.capMicroUsdc) throw capExceeded(session, quote.microUsdc);
  }

  /** 2xx: accepted. 402 or 410: refused, unless it was sent before and may have been accepted then. Anything else is not known. */
  async conclude(payment: Payment, { answer }: Answered<MppQuote>): Promise<Step> {
    return { payment: await this.outcome(payment, answer), resend: false };
  }

  private async outcome(payment: Payment, answer: ProviderAnswer | null): Promise<Payment> {
    const session = await this.sessionOf(payment);
    if (answer && answer.status >= 200 && answer.status < 300) {
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

  /** Opens the session that the request asked for: one for each payment, however often it is tried. @throws Declined */
  private async openFor(payment: Payment, quote: MppQuote, funding: Funding): Promise<Session> {
    const opening = await this.sessions.prepare(funding.caller, openingRequest(payment, quote, funding));
    await this.requireOpening(opening);
    const { body } = await this.sessions.place(opening);
    if (body.status !== 'open') throw new ChainUnavailableError('the session is not open yet');
    await this.payments.attach(payment.id, body.session_id);
    this.failpoints.pass('payment.session_opened');
    return this.sessionStore.find(body.session_id);
  }

  /** @throws Declined for an opening that would be declined, or wait for an approval; InvalidRecipient. */
  private async requireOpening(opening: PreparedOpening | EarlierOpening): Promise<void> {
    if (opening.kind === 'earlier') return;
    const outcome = opening.simulated?.outcome;
    if (outcome?.kind === 'violation') throw new Declined(await this.orders.describe(outcome.violation, opening.order));
    requirePayee(outcome);
  }

  /** The program's policy check of a payment inside a session. @throws Declined; SessionNotOpen by the chain's clock. */
  private async checkPayment(session: Session, account: Account, { microUsdc, category }: MppQuote): Promise<void> {
    const outcome = await this.chain.sessions.checkPayment(
      { account: account.chainAddress, session: session.address ?? '', microUsdc, category },
      Number(account.observedSlot),
    );
    if (outcome.kind === 'violation')
      throw new Declined(
        await this.orders.describe(outcome.violation, { operatorId: account.operatorId, accountId: account.id, microUsdc }),
      );
    if (outcome.kind === 'failed')
      throw new SessionNotOpen(session.id, outcome.failure.reason === 'session_expired' ? 'expired' : 'closing');
  }

  /** Issues the next voucher and stores it, once no other payment of the session waits for its answer. */
  private async issue(payment: Payment, read: Session, quote: MppQuote, account: Account): Promise<Payment> {
    const until = performance.now() + SESSION_WAIT_MS;
    for (let session = read; ; session = await this.sessionStore.find(read.id)) {
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
   * The voucher above the accepted amount. Undefined where the session is not as it was read. @throws Declined where the cap is too low.
   */
  private async issueNext(payment: Payment, session: Session, quote: MppQuote, account: Account): Promise<Payment | undefined> {
    const cumulative = session.acceptedMicroUsdc + quote.microUsdc;
    if (cumulative > session.capMicroUsdc) {
      await this.sessionStore.reachCap(session);
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

  private async accept(payment: Payment, answer: ProviderAnswer | null, receipt: string | null): Promise<Payment> {
    return (await this.store.accept(payment, answer, receipt)) ?? this.payments.find(payment.id);
  }

  private async refuse(payment: Payment, session: VoucherSession, answer: ProviderAnswer): Promise<Payment> {
    const before = await this.vouchers.issue(session, (payment.cumulativeMicroUsdc ?? 0n) - payment.microUsdc);
    const message = `The provider refused the voucher${answer.problem === null ? '' : `: ${answer.problem}`}. It is not paid for this call.`;
    const violation = { rule: 'provider_refused', message, attempted_usdc: formatUsdc(payment.microUsdc) };
    return (await this.store.refuse(payment, violation, answer, before)) ?? this.payments.find(payment.id);
  }

  private async sessionOf({ sessionId }: Payment): Promise<VoucherSession> {
    const id = sessionId ?? '';
    return this.known.get(id) ?? this.sessionStore.find(id);
  }
}

/** The request that opens the session of a payment. Its key makes it one session for each payment. */
function openingRequest(payment: Payment, quote: MppQuote, { openSession }: Funding): CreateSessionDto {
  return {
    account_id: payment.accountId,
    provider: payment.provider,
    payee: quote.payee,
    cap: openSession?.cap ?? '',
    idempotency_key: `payment:${payment.id}`,
    ...(quote.category !== null && { category: quote.category }),
    ...(openSession?.expires_in_seconds !== undefined && { expires_in_seconds: openSession.expires_in_seconds }),
  };
}

function capExceeded({ capMicroUsdc, acceptedMicroUsdc }: Session, microUsdc: bigint): Declined {
  const [cap, left] = [formatUsdc(capMicroUsdc), formatUsdc(capMicroUsdc - acceptedMicroUsdc)];
  return Declined.because('session_cap', `The session's cap, ${cap} USDC, leaves ${left} USDC.`, {
    limit_usdc: cap,
    attempted_usdc: formatUsdc(microUsdc),
    remaining_usdc: left,
  });
}
