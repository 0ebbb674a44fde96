import { setTimeout } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Chain, ChainUnavailableError, type SignedTransaction } from '#chain';
import type { Sql } from '#database';
import { buildPayment, offersPaymentIdentifier, refusalOf, refusalReason } from '#x402';
import { PolicyLists } from '../../../accounts';
import { ChainUnavailable, DomainError } from '../../../http/domain.errors';
import { HandedOrders, OrderForecasts, OrderReader, Rejected } from '../../../orders';
import { Providers } from '../../../providers';
import { Failpoints } from '../../../runtime/failpoints';
import { Credentials } from '../../process/credentials';
import {
  type Answered,
  type Asked,
  type Funding,
  type KeptAnswer,
  LANDING_WAIT_MS,
  landingWaitMs,
  type PaymentMethod,
  type Step,
} from '../payment-method';
import type { Payment } from '../../payment.entity';
import { PaymentStore } from '../../payment.store';
import { Declined } from '../../payments.errors';
import { settledResponse } from '../../provider/provider-client';
import { quoteX402, speaksX402, type X402Quote } from '../../quotes/x402';
import { INTERRUPTED } from '../charge/charge-settlement';
import { X402ChargeMethod } from '../charge/x402-charge';
import { DirectTransfers } from './direct-transfers';
import { refusedByFacilitator } from './direct-transfer.handler';
import { SellerAnswers } from './seller-answers';
import { TransferStore } from './transfer.store';

/** A facilitator's node may be a moment behind ours. */
const STALE_FACILITATOR_PAUSE_MS = 1_000;
const LANDING_POLL_MS = 200;

/**
 * Pays x402 sellers by the program's own transfer, which the seller's facilitator completes, pays the fee of and sends: no transaction of ours.
 * The chain binds its destination, and its nonce lets it happen once. A seller whose facilitator does not list the program is paid by a charge
 * under the same nonce.
 */
@Injectable()
export class TransferMethod implements PaymentMethod<X402Quote> {
  readonly name = 'transfer';
  readonly protocol = 'x402';
  private readonly logger = new Logger('Payments');

  constructor(
    private readonly chain: Chain,
    private readonly lists: PolicyLists,
    private readonly orders: OrderReader,
    private readonly forecasts: OrderForecasts,
    private readonly handed: HandedOrders,
    private readonly transfers: DirectTransfers,
    private readonly credentials: Credentials,
    private readonly answers: SellerAnswers,
    private readonly providers: Providers,
    private readonly fallback: X402ChargeMethod,
    private readonly store: TransferStore,
    private readonly payments: PaymentStore,
    private readonly failpoints: Failpoints,
  ) {}

  isOffered(asked: Asked): boolean {
    return speaksX402(asked);
  }

  /**
   * Whether a 402 is to be paid this way: a seller of version 2 by an account that lists its counterparties, else if the seller, the operator or
   * the seller's answer of the last 24 hours says that its facilitator takes such transfers.
   */
  async isTried(asked: Asked, payment: Payment, { account }: Funding): Promise<boolean> {
    const quote = this.quoteIfPayable(asked, payment);
    if (quote?.required.version !== 2 || asked.provider?.walletPrograms === false) return false;
    if (await this.lists.listsCounterparties(account)) return true;
    const answer = await this.recentAnswer(payment, asked.provider);
    return answer ?? (asked.provider?.walletPrograms === true || quote.requirements.takesWalletPrograms);
  }

  /** Whether an account pays x402 sellers by direct transfers alone: it lists its counterparties. */
  isOnlyWay(account: Funding['account']): Promise<boolean> {
    return this.lists.listsCounterparties(account);
  }

  /** The seller's last answer, unless the operator has said something of the host since. */
  private async recentAnswer(payment: Payment, provider: Asked['provider']): Promise<boolean | undefined> {
    const answer = await this.answers.known(payment);
    const isOutdated = answer && provider?.updatedAt && provider.updatedAt >= answer.answeredAt;
    return isOutdated ? undefined : answer?.takesTransfers;
  }

  private quoteIfPayable(asked: Asked, payment: Payment): X402Quote | undefined {
    try {
      return speaksX402(asked) ? this.quote(asked, payment) : undefined;
    } catch (error) {
      if (error instanceof Declined) return undefined;
      throw error;
    }
  }

  quote(asked: Asked, { maxMicroUsdc }: Payment): X402Quote {
    return quoteX402(asked, { identity: this.chain.identity, maxMicroUsdc });
  }

  async check(payment: Payment, quote: X402Quote, funding: Funding): Promise<void> {
    await this.requireTaken(payment, quote, funding);
    const { draft, simulated } = await this.transfers.prepare(payment, funding, quote);
    await this.forecasts.requireAdmission(draft, simulated);
  }

  async authorize(payment: Payment, quote: X402Quote, funding: Funding): Promise<Payment> {
    const before = await this.transfers.paidBefore(payment, funding.account);
    if (before) {
      await this.store.settleLost(payment, quote, before);
      return this.payments.find(payment.id);
    }
    await this.requireTaken(payment, quote, funding);
    const { draft, simulated } = await this.transfers.prepare(payment, funding, quote);
    const order = await this.handed.hand(draft, simulated, (signed) => this.authorizing(payment, quote, signed));
    const authorized = await this.payments.find(payment.id);
    if (authorized.orderId !== order.id) throw new ChainUnavailableError(INTERRUPTED);
    this.failpoints.pass('transfer.handed');
    return authorized;
  }

  /** The credential, as a part of the statement that stores the order. */
  private authorizing(payment: Payment, quote: X402Quote, { bytes, lastValidBlockHeight }: SignedTransaction): Sql {
    const { required, requirements } = quote;
    const transaction = Buffer.from(bytes).toString('base64');
    const built = buildPayment({ required, requirements, content: { transaction }, paymentId: payment.id });
    return this.store.authorizing(payment, quote, { credentialSealed: this.credentials.sealX402(payment, built), lastValidBlockHeight });
  }

  /** @throws Declined if the account has no other way to pay, and the seller's facilitator refused this one in the last 24 hours. */
  private async requireTaken(payment: Payment, { microUsdc }: X402Quote, { account }: Funding): Promise<void> {
    if (!(await this.lists.listsCounterparties(account))) return;
    const provider = await this.providers.known(payment.operatorId, payment.provider);
    if ((await this.recentAnswer(payment, provider)) === false) throw new Declined(refusedByFacilitator({ ...payment, microUsdc }));
  }

  /**
   * 402: the same bytes once more if the facilitator was stale; a charge under the same nonce if it does not list the program. Else the chain decides:
   * a refused transfer may land until its blockhash ends.
   */
  async conclude(payment: Payment, { answer, sends, quote, funding }: Answered<X402Quote>): Promise<Step> {
    const isFirst = sends === 1 && quote !== null;
    if (answer?.status === 402) {
      const { paymentResponse, paymentRequired, body } = answer;
      const reason = refusalReason({ paymentResponse, paymentRequired, body: body.toString() });
      const refusal = reason === undefined ? 'refused' : refusalOf(reason);
      if (refusal === 'simulation_failed' && isFirst) {
        await setTimeout(STALE_FACILITATOR_PAUSE_MS);
        return { payment, resend: true };
      }
      if (refusal === 'program_not_allowed') {
        await this.answers.note(payment, false);
        const next = quote && funding && (await this.next(payment, quote, funding));
        if (next) return { payment: next, resend: true };
      }
      return this.landed(payment, answer, null, refusal === 'in_flight' ? LANDING_WAIT_MS : 0);
    }
    const isLost = answer === null || answer.status >= 500;
    if (isLost && isFirst && offersPaymentIdentifier(quote.required)) return { payment, resend: true };
    const receipt = settledResponse(answer?.paymentResponse ?? null);
    if (receipt !== null) await this.answers.note(payment, true);
    return this.landed(payment, answer, receipt, landingWaitMs(answer, receipt));
  }

  /** The chain shows whether the agent used it. */
  async concludeUnseen(payment: Payment): Promise<Payment> {
    return payment;
  }

  /** The recovery of its order resolves it. */
  async resume(payment: Payment): Promise<Step> {
    return { payment: await this.look(payment), resend: false };
  }

  /**
   * The payment after its agent was refused: with the credential of a charge under the same nonce if the facilitator does not list the program, else as it is.
   * @throws Rejected if the account lists its counterparties, and so has no other way
   */
  async afterRefusal(
    payment: Payment,
    { quote, funding, reason }: { quote: X402Quote; funding: Funding; reason: string },
  ): Promise<Payment> {
    if (refusalOf(reason) !== 'program_not_allowed') return payment;
    await this.answers.note(payment, false);
    if (await this.lists.listsCounterparties(funding.account)) {
      const violation = refusedByFacilitator(payment);
      throw new Rejected({ payment_id: payment.id }, { reason: violation.rule, violation });
    }
    return (await this.next(payment, quote, funding)) ?? this.payments.find(payment.id);
  }

  /** The payment with the credential of a charge under the same nonce; undefined if there is none to send: the transfer may land until it expires. */
  private async next(payment: Payment, quote: X402Quote, funding: Funding): Promise<Payment | undefined> {
    if (await this.lists.listsCounterparties(funding.account)) return undefined;
    try {
      const direct = await this.orders.find(payment.orderId ?? '');
      return await this.fallback.follow(payment, direct, quote, funding);
    } catch (error) {
      const isOver = error instanceof Declined || error instanceof DomainError || error instanceof ChainUnavailableError;
      if (!isOver) throw error instanceof Error ? error : new ChainUnavailable();
      this.logger.warn(`${payment.id} is not paid by a charge: ${error.message}`);
      return undefined;
    }
  }

  /** Stores the answer, and the outcome if the chain shows it within `waitMs`. It is `unknown` until then. */
  private async landed(payment: Payment, answer: KeptAnswer | null, receipt: string | null, waitMs: number): Promise<Step> {
    if (answer) await this.payments.keepAnswer(payment, answer, receipt);
    const deadline = performance.now() + waitMs;
    let current = await this.look(payment);
    while (current.status === 'unknown' && performance.now() < deadline) {
      await setTimeout(LANDING_POLL_MS);
      current = await this.look(current);
    }
    await this.payments.release(payment.id);
    return { payment: current, resend: false };
  }

  private async look({ id, orderId }: Payment): Promise<Payment> {
    const order = orderId === null ? undefined : await this.orders.findIfStored(orderId);
    if (order) await this.handed.look(order);
    return this.payments.find(id);
  }
}
