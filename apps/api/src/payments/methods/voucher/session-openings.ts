import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Chain, ChainUnavailableError } from '#chain';
import type { PreparedOpening } from '../../../allowances';
import { formatUsdc, parseUsdc } from '../../../money/usdc';
import { OrderForecasts, OrdersService } from '../../../orders';
import { Failpoints } from '../../../runtime/failpoints';
import {
  type CreateSessionDto,
  DEFAULT_EXPIRY_SECONDS,
  requirePayee,
  type Session,
  SessionNotOpen,
  type SessionPurpose,
  SessionsService,
  SessionReader,
} from '../../../sessions';
import type { Funding } from '../payment-method';
import type { Payment } from '../../payment.entity';
import { PaymentStore } from '../../payment.store';
import { Declined } from '../../payments.errors';
import type { MppQuote } from '../../quotes/mpp';

/** A session that ends sooner is not used for a request that would open one. */
const MIN_REST_MS = 60_000;
/** Openings of other payments that one payment waits for. */
const MAX_TRIES = 20;

/**
 * Sessions for requests with `open_session`: the open one that fits, else a new one. Equal requests at once open one, because the key
 * of the opening has their terms and the session before it.
 */
@Injectable()
export class SessionOpenings {
  constructor(
    private readonly chain: Chain,
    private readonly orders: OrdersService,
    private readonly forecasts: OrderForecasts,
    private readonly sessions: SessionsService,
    private readonly reader: SessionReader,
    private readonly payments: PaymentStore,
    private readonly failpoints: Failpoints,
  ) {}

  /** @throws Declined; InvalidRecipient, ChainUnavailable and Conflict as an opening does. */
  async sessionFor(payment: Payment, quote: MppQuote, funding: Funding): Promise<Session> {
    const purpose = purposeOf(payment, quote);
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const open = await this.fitting(purpose, quote);
      if (open) return open;
      const newest = await this.reader.newestFor(purpose);
      if (!newest || !(await this.isUnderWay(newest))) {
        const opened = await this.open(payment, quote, funding, newest);
        if (opened) return opened;
      }
    }
    throw new ChainUnavailableError('the sessions that others open are used up at once');
  }

  /** The open session that would be used; undefined if one would be opened. @throws what `sessionFor` would */
  async check(payment: Payment, quote: MppQuote, funding: Funding): Promise<Session | undefined> {
    const purpose = purposeOf(payment, quote);
    const open = await this.fitting(purpose, quote);
    if (open) return open;
    requireCap(quote, funding);
    const opening = await this.sessions.prepare(funding.caller, openingRequest(purpose, funding, await this.reader.newestFor(purpose)));
    if (opening.kind === 'new') await this.requireAllowed(opening);
    return undefined;
  }

  /** The newest open session for the same that covers the price and lives on for a while. */
  private async fitting(purpose: SessionPurpose, { microUsdc }: MppQuote): Promise<Session | undefined> {
    const open = await this.reader.openWith(purpose.accountId, purpose.provider);
    const covering = open.filter(
      (session) => session.payee === purpose.payee && session.category === purpose.category && leftIn(session) >= microUsdc,
    );
    if (covering.length === 0) return undefined;
    const until = (await this.chain.clock.now()).getTime() + MIN_REST_MS;
    return covering.find(({ expiresAt }) => expiresAt !== null && expiresAt.getTime() >= until);
  }

  /** Whether a session is being opened by another request, whose outcome is then awaited. */
  private async isUnderWay({ id, state }: Session): Promise<boolean> {
    if (state !== 'ordered') return false;
    const order = await this.orders.current(id);
    if (order.status !== 'created' && order.status !== 'submitted') return false;
    const { order: outcome } = await this.orders.replay(order);
    if (outcome.status === 'created' || outcome.status === 'submitted') throw new ChainUnavailableError('the session is not open yet');
    return true;
  }

  /** Opens a session; undefined if an equal request opened it, so that it may be used up already. */
  private async open(payment: Payment, quote: MppQuote, funding: Funding, newest: Session | undefined): Promise<Session | undefined> {
    requireCap(quote, funding);
    const opening = await this.sessions.prepare(funding.caller, openingRequest(purposeOf(payment, quote), funding, newest));
    if (opening.kind === 'new') await this.requireAllowed(opening);
    const { body, headers } = await this.sessions.place(funding.caller, opening);
    // It was opened before the database was restored, and may have paid this.
    if (body.status === 'closing' || body.status === 'settled') throw new SessionNotOpen(body.session_id, body.status);
    if (body.status !== 'open') throw new ChainUnavailableError('the session is not open yet');
    if ('Idempotent-Replayed' in headers) return undefined;
    await this.payments.attach(payment.id, body.session_id);
    this.failpoints.pass('payment.session_opened');
    return this.reader.find(body.session_id);
  }

  /** @throws Declined for an opening that would be declined, or wait for an approval; InvalidRecipient; what `predict` throws. */
  private async requireAllowed({ order, simulated }: PreparedOpening<Session>): Promise<void> {
    const outcome = simulated?.outcome;
    if (outcome?.kind === 'violation') throw new Declined(await this.forecasts.describe(outcome.violation, order));
    requirePayee(outcome);
    await this.forecasts.predict(order, simulated);
  }
}

/** The rest of a session's cap. */
export function leftIn({ capMicroUsdc, acceptedMicroUsdc }: Session): bigint {
  return capMicroUsdc - acceptedMicroUsdc;
}

export function capExceeded(session: Pick<Session, 'capMicroUsdc' | 'acceptedMicroUsdc'>, microUsdc: bigint): Declined {
  const [cap, left] = [formatUsdc(session.capMicroUsdc), formatUsdc(session.capMicroUsdc - session.acceptedMicroUsdc)];
  return Declined.because('session_cap', `The session's cap, ${cap} USDC, leaves ${left} USDC.`, {
    limit_usdc: cap,
    attempted_usdc: formatUsdc(microUsdc),
    remaining_usdc: left,
  });
}

/** @throws Declined for a session that would not cover the call that opens it. */
function requireCap({ microUsdc }: MppQuote, { openSession }: Funding): void {
  const capMicroUsdc = parseUsdc(openSession?.cap ?? '0');
  if (capMicroUsdc < microUsdc) throw capExceeded({ capMicroUsdc, acceptedMicroUsdc: 0n }, microUsdc);
}

function purposeOf({ accountId, provider }: Payment, { payee, category }: MppQuote): SessionPurpose {
  return { accountId, provider, payee, category };
}

/** The request that opens a session. Its key is the same for equal requests until one of them has opened it. */
function openingRequest(purpose: SessionPurpose, { openSession }: Funding, newest: Session | undefined): CreateSessionDto {
  const { accountId, provider, payee, category } = purpose;
  const { cap = '0', expires_in_seconds: asked } = openSession ?? {};
  const expiry = asked ?? DEFAULT_EXPIRY_SECONDS;
  const terms = [accountId, provider, payee, category, parseUsdc(cap).toString(), expiry, newest?.id ?? null];
  return {
    account_id: accountId,
    provider,
    payee,
    cap,
    idempotency_key: `open_session:${createHash('sha256').update(JSON.stringify(terms)).digest('base64url')}`,
    ...(category !== null && { category }),
    ...(asked !== undefined && { expires_in_seconds: asked }),
  };
}
