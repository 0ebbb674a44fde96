import { setTimeout } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Chain, ChainUnavailableError, type Verdict } from '#chain';
import type { Account } from '../accounts';
import { Clock } from '../runtime/clock';
import { Failpoints } from '../runtime/failpoints';
import type { Caller } from '../http/caller';
import { ChainUnavailable, DomainError } from '../http/domain.errors';
import { formatUsdc } from '../money/usdc';
import { OutsideError } from '../egress/egress-client';
import { storeViolation } from '../orders';
import { Mutex } from '../runtime/mutex';
import { ChargesService } from './methods/charge';
import { Credentials } from './credentials';
import { PaymentStore, type Met } from './payment.store';
import type { Payment, PaymentFailure } from './payment.entity';
import type { OpenSessionDto } from './payments.dto';
import { AccountBusy, Declined } from './payments.errors';
import { ProviderClient, receiptFor, type ProviderAnswer, type ProviderRequest } from './provider-client';
import { Providers } from '../providers';
import { quoteOf, type Quote, type Terms } from './quote';
import { requirePayee, type Session, SessionNotOpen, SessionsService, SessionStore } from '../sessions';
import { Vouchers } from './methods/vouchers';

/** How long a payment waits for its turn in its session, and how often it looks. */
const TURN_WAIT_MS = 60_000;
const LOOK_EVERY_MS = 10;

/** What a payment is made with. */
export interface Means {
  caller: Caller;
  account: Account;
  /** The open session that was named, as it was read. */
  session: Session | null;
  /** Opens a session where none is named. */
  openSession: OpenSessionDto | null;
}

/**
 * Takes a payment from the first call of the provider to its end: at most one credential a payment, stored before it is sent,
 * and sent at most twice. What nobody answers is unknown, and never paid again.
 */
@Injectable()
export class PayerService {
  private readonly logger = new Logger('Payments');
  /** Payments of one session follow each other in this process in the order in which they came. */
  private readonly mutex = new Mutex();

  constructor(
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly providers: Providers,
    private readonly calls: ProviderClient,
    private readonly credentials: Credentials,
    private readonly vouchers: Vouchers,
    private readonly charges: ChargesService,
    private readonly sessions: SessionsService,
    private readonly sessionBook: SessionStore,
    private readonly store: PaymentStore,
    private readonly failpoints: Failpoints,
  ) {}

  /** Calls the provider, and pays if that is what it takes. */
  async pay(payment: Payment, request: ProviderRequest, means: Means): Promise<Payment> {
    const known = this.providers.known(payment.operatorId, payment.provider);
    known.catch(() => undefined); // whoever awaits it is told
    let first: ProviderAnswer;
    try {
      first = await this.calls.call(request);
    } catch (error) {
      if (!(error instanceof OutsideError)) throw error;
      return this.settled(
        payment,
        this.store.fail(payment, {
          code: 'provider_unreachable',
          message: `The provider gave no answer: ${error.message}. Nothing was paid.`,
        }),
      );
    }
    if (first.status !== 402) return this.settled(payment, this.store.free(payment, first));
    this.failpoints.pass('payment.asked');
    return this.orDeclined(payment, async (noted) => {
      const asked = {
        challenges: first.challenges,
        body: bodyOf(request),
        hasAuthorization: hasAuthorization(request),
        provider: await known,
      };
      return this.promise(payment, means, asked, noted, (promised, session) => this.send(promised, session, request));
    });
  }

  /** Signs for a challenge that the agent met itself. */
  async authorize(payment: Payment, means: Means, challenges: string[]): Promise<Payment> {
    return this.orDeclined(payment, async (noted) => {
      const asked = {
        challenges,
        body: null,
        hasAuthorization: false,
        provider: await this.providers.known(payment.operatorId, payment.provider),
      };
      // Whether the agent uses a voucher, nobody tells us: it counts from now on.
      const count = async (promised: Payment): Promise<Payment> =>
        promised.sessionId === null ? promised : this.settled(promised, this.store.accept(promised, 'paid_unreceipted', null, null));
      return this.promise(payment, means, asked, noted, count);
    });
  }

  /** After a halt or a silence: the same credential once more, and then it counts. */
  async resume(payment: Payment): Promise<Payment> {
    if (payment.sessionId === null && payment.delegateKey !== null) {
      await this.charges.resume(payment);
      return this.store.find(payment.id);
    }
    if (payment.status === 'created')
      return this.settled(
        payment,
        this.store.fail(payment, {
          code: 'provider_unreachable',
          message: 'The service was interrupted before anything was promised. Repeat the request with the same key.',
        }),
      );
    const again = payment.mode === 'pay' ? await this.store.markResent(payment) : undefined;
    if (!again) return this.settled(payment, this.store.accept(payment, 'paid_unreceipted', null, null));
    return this.send(again, again.sessionId === null ? null : await this.sessionBook.find(again.sessionId), this.calls.open(again));
  }

  /**
   * Judges the challenge and promises to pay it: from here on the payment is `unknown`, and `hand` brings the promise to the
   * provider. A session is its own until that is done. @throws Declined
   */
  private async promise(
    payment: Payment,
    means: Means,
    { challenges, ...asked }: Pick<Terms, 'provider' | 'body' | 'hasAuthorization'> & { challenges: string[] },
    noted: (quote: Quote) => void,
    hand: (promised: Payment, session: Session | null) => Promise<Payment>,
  ): Promise<Payment> {
    const session = means.session ?? (payment.sessionId === null ? null : await this.sessionBook.find(payment.sessionId));
    const terms: Terms = {
      ...asked,
      now: this.clock.now(),
      identity: this.chain.identity,
      session: session ?? (means.openSession ? 'new' : null),
      maxMicroUsdc: payment.maxMicroUsdc,
    };
    const quote = quoteOf(challenges, terms);
    noted(quote);
    if (terms.session === null) {
      const promised = await this.charges.promise(payment, means.account, quote);
      return promised.status === 'unknown' ? hand(promised, null) : promised;
    }
    const open = session ?? (await this.openFor(payment, means, quote));
    await this.judge(open, means.account, quote);
    return this.mutex.runExclusive(open.id, async (hasWaited) =>
      hand(...(await this.promiseVoucher(payment, hasWaited ? await this.sessionBook.find(open.id) : open, means.account, quote))),
    );
  }

  /** The session that the request asked for, opened once for this payment however often it is tried. @throws Declined */
  private async openFor(payment: Payment, { caller, openSession }: Means, quote: Quote): Promise<Session> {
    const inspect = async (verdict: Verdict): Promise<void> => {
      if (verdict.kind === 'refused') throw new Declined(storeViolation(verdict.refusal, { microUsdc: quote.microUsdc }));
      await requirePayee(verdict);
    };
    const order = {
      account_id: payment.accountId,
      provider: payment.provider,
      payee: quote.payee,
      cap: openSession?.cap ?? '',
      idempotency_key: `payment:${payment.id}`,
      ...(quote.category !== null && { category: quote.category }),
      ...(openSession?.expires_in_seconds !== undefined && { expires_in_seconds: openSession.expires_in_seconds }),
    };
    const { body } = await this.sessions.open(caller, order, inspect);
    if (body.status !== 'open') throw new ChainUnavailableError('the session is not open yet');
    await this.store.attach(payment.id, body.session_id);
    this.failpoints.pass('payment.session_opened');
    return this.sessionBook.find(body.session_id);
  }

  /** The program's verdict on a payment inside a session. @throws Declined; SessionNotOpen by the chain's clock. */
  private async judge(session: Session, account: Account, { microUsdc, category }: Quote): Promise<void> {
    const verdict = await this.chain.sessions.checkPayment(
      { account: account.chainAddress, session: session.address ?? '', microUsdc, category },
      Number(account.changedSlot),
    );
    if (verdict.kind === 'refused') throw new Declined(storeViolation(verdict.refusal, { microUsdc }));
    if (verdict.kind === 'failed')
      throw new SessionNotOpen(session.id, verdict.failure.reason === 'session_expired' ? 'expired' : 'closing');
  }

  /**
   * Signs the next voucher and keeps it, once no other payment has the session. From then on it is this payment's until that
   * has its answer. @throws Declined; SessionNotOpen; ChainUnavailableError where it takes too long.
   */
  private async promiseVoucher(payment: Payment, read: Session, account: Account, quote: Quote): Promise<[Payment, Session]> {
    const until = performance.now() + TURN_WAIT_MS;
    for (let session = read; ; session = await this.sessionBook.find(read.id)) {
      if (session.state !== 'open') throw new SessionNotOpen(session.id, session.state);
      const promised = session.paying === null ? await this.promiseNext(payment, session, account, quote) : undefined;
      if (promised) return [promised, session];
      if (session === read) continue;
      if ((await this.store.find(payment.id)).status !== 'created') throw new ChainUnavailableError('somebody else took the payment up');
      if (performance.now() > until) throw new ChainUnavailableError('other payments of the session have no answer yet');
      await setTimeout(LOOK_EVERY_MS);
    }
  }

  /** The voucher above what the session's provider has accepted. Undefined when the session is not as it was read. */
  private async promiseNext(payment: Payment, session: Session, account: Account, quote: Quote): Promise<Payment | undefined> {
    const cumulative = session.acceptedMicroUsdc + quote.microUsdc;
    if (cumulative > session.capMicroUsdc) {
      await this.store.reachCap(session);
      const left = session.capMicroUsdc - session.acceptedMicroUsdc;
      throw Declined.because(
        'session_cap',
        `The session's cap, ${formatUsdc(session.capMicroUsdc)} USDC, leaves ${formatUsdc(left)} USDC.`,
        {
          limit_usdc: formatUsdc(session.capMicroUsdc),
          attempted_usdc: formatUsdc(quote.microUsdc),
          remaining_usdc: formatUsdc(left),
        },
      );
    }
    const voucher = await this.vouchers.promise(session, cumulative);
    const credentialSealed = this.credentials.seal(payment, quote.challenge, this.vouchers.payload(session, voucher), account.chainAddress);
    const met: Met = {
      microUsdc: quote.microUsdc,
      payee: quote.payee,
      category: quote.category,
      challengeId: quote.challenge.id,
      credentialSealed,
    };
    this.failpoints.pass('payment.signed');
    const promised = await this.store.promise(payment, session, met, voucher);
    this.failpoints.pass('payment.promised');
    return promised;
  }

  /** Sends the credential, and writes down what the answer means. */
  private async send(payment: Payment, session: Session | null, request: ProviderRequest): Promise<Payment> {
    let answer: ProviderAnswer | null = null;
    try {
      answer = await this.calls.call(request, this.credentials.open(payment));
    } catch (error) {
      if (!(error instanceof OutsideError)) throw error;
      this.logger.warn(`${payment.id}: ${error.message}`);
    }
    this.failpoints.pass('payment.answered');
    const ended = session
      ? await this.concludeVoucher(payment, session, answer)
      : await this.charges.conclude(payment, answer, answer?.receipt ?? null);
    this.failpoints.pass('payment.concluded');
    return ended;
  }

  /** 2xx: taken. 402: refused, unless it was sent before and may have been taken then. Anything else is not known. */
  private async concludeVoucher(payment: Payment, session: Session, answer: ProviderAnswer | null): Promise<Payment> {
    const receipt = receiptFor(payment, answer?.receipt ?? null, session.address);
    if (answer && answer.status >= 200 && answer.status < 300) {
      return this.settled(payment, this.store.accept(payment, receipt ? 'paid' : 'paid_unreceipted', answer, receipt && answer.receipt));
    }
    const isRefused = answer !== null && (answer.status === 402 || answer.status === 410) && !payment.resent;
    if (isRefused) {
      const before = await this.vouchers.promise(session, session.acceptedMicroUsdc);
      const message = `The provider refused the voucher${answer.problem === null ? '' : `: ${answer.problem}`}. It is not paid for this call.`;
      return this.settled(
        payment,
        this.store.refuse(payment, { rule: 'provider_refused', message, attempted_usdc: formatUsdc(payment.microUsdc) }, answer, before),
      );
    }
    if (payment.resent) return this.settled(payment, this.store.accept(payment, 'paid_unreceipted', answer, null));
    await this.store.release(payment.id);
    return this.store.find(payment.id);
  }

  /** What is declined is written down with its reason, and what the chain's absence prevented with that. */
  private async orDeclined(payment: Payment, work: (noted: (quote: Quote) => void) => Promise<Payment>): Promise<Payment> {
    let asked: Partial<Payment> = {};
    try {
      return await work(
        ({ microUsdc, payee, category, challenge }) => void (asked = { microUsdc, payee, category, challengeId: challenge.id }),
      );
    } catch (error) {
      if (error instanceof Declined) return this.settled(payment, this.store.decline({ ...payment, ...asked }, error.refusal));
      const failure = failureOf(error);
      if (failure) return this.settled(payment, this.store.fail(payment, failure));
      if (error instanceof DomainError) await this.store.fail(payment, { code: 'chain_unavailable', message: error.message });
      throw error;
    }
  }

  /** As it was written down, or as somebody else wrote it down meanwhile. */
  private async settled(payment: Payment, written: Promise<Payment | undefined>): Promise<Payment> {
    return (await written) ?? this.store.find(payment.id);
  }
}

/** What keeps a payment from being made now, and not for good. */
function failureOf(error: unknown): PaymentFailure | undefined {
  if (error instanceof ChainUnavailableError)
    return {
      code: 'chain_unavailable',
      message: 'The chain cannot be asked right now. Nothing was paid: repeat the request with the same key.',
    };
  if (error instanceof ChainUnavailable) return { code: 'chain_unavailable', message: error.message };
  return error instanceof AccountBusy ? { code: 'account_busy', message: error.message } : undefined;
}

function bodyOf({ body }: ProviderRequest): Buffer | null {
  return body === null ? null : Buffer.from(body, 'base64');
}

function hasAuthorization({ headers }: ProviderRequest): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}
