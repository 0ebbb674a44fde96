import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Chain, ChainUnavailableError } from '#chain';
import type { PreparedOpening } from '../../../allowances';
import { formatUsdc, parseUsdc } from '../../../money/usdc';
import { OrderForecasts } from '../../../orders';
import { ChannelPurseStore, type CreatePurseDto, type Purse, PursesService, PurseStore } from '../../../purses';
import { Failpoints } from '../../../runtime/failpoints';
import type { Funding } from '../payment-method';
import type { Payment } from '../../payment.entity';
import { Declined } from '../../payments.errors';
import type { ChannelSessionQuote } from '../../quotes/channel-session';
import { MARGIN_SECONDS, MORE_SECONDS } from '../channel/channel-funding';
import { restOf } from '../purse/purse-bounds';
import { capExceeded } from '../voucher/session-openings';
import { leastDeposit } from './channel-openings';
import { ChannelSellers } from './channel-sellers';
import { lacking } from './channel-top-ups';

/** Purses of one host that one payment looks at. */
const MAX_LOOKED_AT = 8;
/** Bounds of a channel purse's life. */
const [MIN_SECONDS, MAX_SECONDS] = [3_600, 691_200];

/** Channel purses for requests with `open_session`: the open one of the seller that fits, else a new one. */
@Injectable()
export class ChannelSessionPurses {
  constructor(
    private readonly chain: Chain,
    private readonly forecasts: OrderForecasts,
    private readonly purses: PursesService,
    private readonly store: PurseStore,
    private readonly channelPurses: ChannelPurseStore,
    private readonly sellers: ChannelSellers,
    private readonly failpoints: Failpoints,
  ) {}

  /** @throws Declined; ChainUnavailable and Conflict as an opening does */
  async purseFor(payment: Payment, quote: ChannelSessionQuote, funding: Funding): Promise<Purse> {
    const open = await this.fitting(payment, quote);
    if (open) return open;
    const opening = await this.prepared(payment, quote, funding);
    const { body } =
      opening.kind === 'new' ? await this.purses.place(funding.caller, opening) : await this.purses.open(funding.caller, opening.request);
    if (body.status !== 'open') throw new ChainUnavailableError('the purse is not open yet');
    this.failpoints.pass('payment.session_opened');
    return this.store.find(body.purse_id);
  }

  /** The open purse that would be used; undefined if one would be opened. @throws what `purseFor` would */
  async check(payment: Payment, quote: ChannelSessionQuote, funding: Funding): Promise<Purse | undefined> {
    const open = await this.fitting(payment, quote);
    if (!open) await this.prepared(payment, quote, funding);
    return open;
  }

  /** Whether a channel with room is open out of a purse, or its rest covers one, or a top-up. */
  async hasRoom(purse: Purse, payment: Payment, quote: ChannelSessionQuote): Promise<boolean> {
    const rest = restOf(purse);
    if (leastDeposit(quote) <= rest) return true;
    return (await this.sellers.channelsOf(purse, payment, quote)).some((channel) => lacking(channel, quote) <= rest);
  }

  private async fitting(payment: Payment, quote: ChannelSessionQuote): Promise<Purse | undefined> {
    const { host } = new URL(payment.provider);
    const open = await this.channelPurses.openFor(payment.accountId, host, { microUsdc: quote.microUsdc, limit: MAX_LOOKED_AT });
    const until = open.length === 0 ? 0 : (await this.chain.clock.now()).getTime() + (quote.graceSeconds + MARGIN_SECONDS) * 1000;
    for (const purse of open)
      if (purse.host === host && purse.category === quote.category && (purse.expiresAt?.getTime() ?? 0) >= until)
        if (await this.hasRoom(purse, payment, quote)) return purse;
    return undefined;
  }

  private async prepared(payment: Payment, quote: ChannelSessionQuote, { caller, openSession }: Funding) {
    const cap = openSession?.cap ?? '0';
    if (parseUsdc(cap) < quote.microUsdc) throw capExceeded({ capMicroUsdc: parseUsdc(cap), acceptedMicroUsdc: 0n }, quote.microUsdc);
    const { host } = new URL(payment.provider);
    const newest = await this.channelPurses.newestFor(payment.accountId, host);
    const seconds = openSession?.expires_in_seconds ?? quote.graceSeconds + MORE_SECONDS;
    const { accountId, provider } = payment;
    const terms = [accountId, provider, quote.payee, quote.category, formatUsdc(parseUsdc(cap)), seconds, newest?.id ?? null];
    const request: CreatePurseDto = {
      kind: 'channel',
      account_id: accountId,
      amount: cap,
      host,
      expires_in_seconds: Math.min(MAX_SECONDS, Math.max(MIN_SECONDS, seconds)),
      // The same for equal requests until one of them has opened it.
      idempotency_key: `open_session:${createHash('sha256').update(JSON.stringify(terms)).digest('base64url')}`,
      ...(quote.category !== null && { category: quote.category }),
    };
    const opening = await this.purses.prepare(caller, request);
    if (opening.kind === 'new') await this.requireAllowed(opening);
    return { ...opening, request };
  }

  /** @throws Declined for an opening that would be declined, or wait for an approval; what `predict` throws */
  private async requireAllowed({ order, simulated }: PreparedOpening<Purse>): Promise<void> {
    const outcome = simulated?.outcome;
    if (outcome?.kind === 'violation') throw new Declined(await this.forecasts.describe(outcome.violation, order));
    if (outcome?.kind === 'declined') throw new Declined(outcome.violation);
    await this.forecasts.predict(order, simulated);
  }
}
