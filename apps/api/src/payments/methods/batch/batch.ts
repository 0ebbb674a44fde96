import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Chain, ChainUnavailableError, type ChannelTerms } from '#chain';
import { bindingMemo, depositContent, isAccepted, voucherContent } from '#x402';
import { type Channel, ChannelStore, storedTerms } from '../../../channels';
import { ChainUnavailable } from '../../../http/domain.errors';
import { formatUsdc } from '../../../money/usdc';
import { type Purse, PurseKeys, PurseStore } from '../../../purses';
import { Failpoints } from '../../../runtime/failpoints';
import { Mutex } from '../../../runtime/mutex';
import { Credentials } from '../../credentials';
import type { Answered, Asked, Authorization, Funding, KeptAnswer, PaymentMethod, Step } from '../../payment-method';
import type { Payment } from '../../payment.entity';
import { PaymentStore } from '../../payment.store';
import { isServed } from '../../provider-client';
import { type BatchQuote, offersBatchSettlement, quoteBatchSettlement } from '../../quotes/batch-settlement';
import { ChannelFunding, MARGIN_SECONDS } from '../channel/channel-funding';
import { declinedIfRefused } from '../channel/channel';
import { ChannelPaymentStore } from '../channel/channel-payment.store';
import { ChannelSettlement } from '../channel/channel-settlement';
import { ChannelSessionStore } from '../channel-session/channel-session.store';
import { refusalIn, VoucherChannels } from '../channel-session/voucher-channels';
import { INTERRUPTED, isAway } from '../charge/charge-settlement';
import { PurseBounds, quoteWithin, requireRest, restOf, type Source } from '../purse/purse-bounds';
import { batchChannel, BatchCredentials, demandKept, keptDemand } from './batch-credentials';

const ALL_BPS = 10_000;
const MEMO_BYTES = 16;

/**
 * Pays x402 sellers of the scheme `batch-settlement`, client mode, out of an open channel purse, or one that the payment funds for itself: the
 * first call opens a channel, each call raises the channel's voucher by exactly its price. Calls in one channel follow each other. A channel
 * that is used up, or whose seller refuses a voucher, is followed by another.
 */
@Injectable()
export class BatchMethod implements PaymentMethod<BatchQuote> {
  readonly name = 'channel';
  readonly protocol = 'x402';
  private readonly mutex = new Mutex();

  constructor(
    private readonly chain: Chain,
    private readonly keys: PurseKeys,
    private readonly purses: PurseStore,
    private readonly channels: ChannelStore,
    private readonly funding: ChannelFunding,
    private readonly bounds: PurseBounds,
    private readonly vouchers: VoucherChannels,
    private readonly signing: BatchCredentials,
    private readonly credentials: Credentials,
    private readonly settlement: ChannelSettlement,
    private readonly funded: ChannelPaymentStore,
    private readonly store: ChannelSessionStore,
    private readonly payments: PaymentStore,
    private readonly failpoints: Failpoints,
  ) {}

  isOffered(asked: Asked): boolean {
    return offersBatchSettlement(asked);
  }

  quote(asked: Asked, payment: Payment, { purse }: Funding): BatchQuote {
    const bounds = { identity: this.chain.identity, maxMicroUsdc: payment.maxMicroUsdc };
    const quote = (ask: Asked): BatchQuote => quoteBatchSettlement(ask, bounds);
    return purse ? quoteWithin(purse, asked, payment, quote) : quote(asked);
  }

  async check(payment: Payment, quote: BatchQuote, funding: Funding): Promise<void> {
    const { account, purse } = funding;
    if (!purse) return this.funding.check(payment, quote, funding);
    if (!(await this.usable(payment, quote, { account, purse }))) await this.deposit(payment, quote, { account, purse });
  }

  async authorize(payment: Payment, quote: BatchQuote, funding: Funding): Promise<Authorization> {
    const { account, purse } = funding;
    const { release } = await this.mutex.acquire(`${payment.accountId} ${payment.provider}`);
    try {
      if (purse) return { payment: await this.authorized(payment, quote, { account, purse }), release };
      const before = await this.funding.paidBefore(payment, account);
      const paid = before && ((await this.funded.settleLost(payment, before, quote)) ?? (await this.payments.find(payment.id)));
      return { payment: paid ?? (await this.authorizedAnew(payment, quote, funding)), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  private async authorizedAnew(payment: Payment, quote: BatchQuote, funding: Funding): Promise<Payment> {
    const { account } = funding;
    const purseId = await this.funding.newId(payment);
    const begun = await this.funded.begin(payment, purseId);
    if (!begun) throw new ChainUnavailableError(INTERRUPTED);
    try {
      const purse = await this.funding.fund(begun, purseId, quote, funding);
      this.failpoints.pass('channel.funded');
      return await this.authorized(begun, quote, { account, purse });
    } catch (error) {
      await this.settlement.release(begun);
      if (isAway(error)) throw new ChainUnavailable();
      throw error;
    }
  }

  private authorized(payment: Payment, quote: BatchQuote, source: Source): Promise<Payment> {
    return this.vouchers.authorizedInTurn(payment, async () => {
      const channel = await this.usable(payment, quote, source);
      if (!channel) return this.open(payment, quote, source);
      return channel.payingPaymentId === null ? this.issue(payment, quote, channel, source.purse) : undefined;
    });
  }

  /** The channel with the seller that has room, and whose terms are those that it asks for; undefined where one would be opened. */
  private async usable(payment: Payment, quote: BatchQuote, source: Source): Promise<Channel | undefined> {
    await this.bounds.requirePaying(payment, quote, source);
    const { feePayer, receiverAuthorizer } = quote.requirements;
    for (const channel of await this.channels.takingVouchers(source.purse.id, payment.provider, quote.payee)) {
      const config = batchChannel(channel, demandKept(channel).requirements.object);
      const isAsked = channel.terms.rentPayer === feePayer && config.receiverAuthorizer === receiverAuthorizer;
      const hasRoom = channel.signedMicroUsdc + quote.microUsdc <= channel.depositMicroUsdc || channel.payingPaymentId !== null;
      if (isAsked && hasRoom && (channel.status === 'open' || channel.payingPaymentId !== null || (await this.vouchers.isShown(channel))))
        return channel;
    }
    return undefined;
  }

  private async deposit(payment: Payment, quote: BatchQuote, { account, purse: { id } }: Source): Promise<bigint> {
    const purse = await this.purses.find(id);
    await this.bounds.requirePaying(payment, quote, { account, purse }, quote.requirements.graceSeconds + MARGIN_SECONDS);
    requireRest(purse, quote.microUsdc);
    const rest = restOf(purse);
    const wanted = quote.requirements.minDeposit ?? rest;
    return wanted < rest ? wanted : rest;
  }

  /** Stores the next voucher of a channel. Undefined if the channel is not as it was read. */
  private async issue(payment: Payment, quote: BatchQuote, channel: Channel, purse: Purse): Promise<Payment | undefined> {
    const cumulative = channel.acceptedMicroUsdc + quote.microUsdc;
    const demand = this.signing.demandOf(quote);
    const config = batchChannel(channel, quote.requirements.object);
    const content = voucherContent(config, await this.signing.voucher(channel, purse, cumulative));
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

  /** Signs the opening of a channel with its first voucher, and stores both before they are sent. @throws Declined, ChainUnavailable */
  private async open(payment: Payment, quote: BatchQuote, source: Source): Promise<Payment> {
    const { account, purse } = source;
    const { requirements } = quote;
    const deposit = await this.deposit(payment, quote, source);
    const terms = await this.terms(quote, purse, deposit);
    const memos = [requirements.memo ?? randomBytes(MEMO_BYTES).toString('hex'), bindingMemo(requirements.receiverAuthorizer)];
    const { recentBlockhash = null } = requirements;
    const opening = { terms, memos, recentBlockhash, minContextSlot: Number(account.observedSlot) };
    const built = await declinedIfRefused(() => this.chain.channels.buildOpening(opening, this.keys.of(purse)));
    const address = this.chain.channels.addressOf(terms);
    const named = { address, terms: storedTerms(terms), payee: quote.payee };
    const voucher = await this.signing.voucher(named, purse, quote.microUsdc);
    const config = batchChannel(named, requirements.object);
    const content = depositContent(config, voucher, { amount: deposit, transaction: built.transaction });
    const demand = this.signing.demandOf(quote);
    const credentialSealed = this.credentials.sealX402(payment, this.signing.payment(demand, content, payment.id));
    this.failpoints.pass('payment.signed');
    const closeAt = new Date((await this.chain.sessions.now()).getTime() + requirements.idleSeconds * 1000);
    const authorized = await this.store.authorizeOpening(
      payment,
      { ...quote, credentialSealed },
      {
        ...named,
        purseId: purse.id,
        accountId: purse.accountId,
        paymentId: payment.id,
        seller: payment.provider,
        depositMicroUsdc: deposit,
        lastValidBlockHeight: BigInt(built.lastValidBlockHeight),
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
      authorizedSigner: purse.delegateKey,
      salt: randomBytes(8).readBigUInt64LE(),
      openSlot: await this.chain.channels.openSlot(),
      deposit,
      graceSeconds: requirements.graceSeconds,
      recipients: [{ owner: payee, shareBps: ALL_BPS }],
    };
  }

  async conclude(payment: Payment, { answer }: Answered<BatchQuote>): Promise<Step> {
    return { payment: await this.outcome(payment, answer), resend: false };
  }

  private async outcome(payment: Payment, answer: KeptAnswer | null): Promise<Payment> {
    const refusal = refusalIn(payment, answer);
    if (refusal) return this.refuse(payment, refusal);
    const isReceipt = answer !== null && isServed(answer.status) && isAccepted(answer.paymentResponse);
    return this.released(await this.vouchers.answered(payment, answer, isReceipt ? answer.paymentResponse : null));
  }

  /** The agent sends the voucher itself: it counts as accepted. */
  async concludeUnseen(payment: Payment): Promise<Payment> {
    return this.released(await this.vouchers.accept(payment, null, null));
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
  private async refuse(payment: Payment, answer: KeptAnswer): Promise<Payment> {
    const channel = await this.channels.paying(payment.id);
    if (channel) await this.channels.wantEnd(channel);
    const message = 'The provider refused the voucher. It is not paid for this call.';
    const violation = { rule: 'provider_refused', message, attempted_usdc: formatUsdc(payment.microUsdc) };
    return this.released((await this.store.refuse(payment, violation, answer)) ?? (await this.payments.find(payment.id)));
  }
}
