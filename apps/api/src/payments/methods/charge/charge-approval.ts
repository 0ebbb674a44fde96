import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Sql } from '#database';
import { Chain, ChainRefusedError, type BuiltPayment, type ChargePayment, type Failure, type Signer } from '#chain';
import { type Account, AccountsService } from '../../../accounts';
import { ChainUnavailable } from '../../../http/domain.errors';
import { Backfill, HandedOrders, type Order, OrderDrafts, OrderForecasts, OrdersService, OrderTags, type Simulated } from '../../../orders';
import type { Payment } from '../../payment.entity';
import { Declined } from '../../payments.errors';
import type { Funding, Quote } from '../payment-method';
import type { ChargeQuote } from '../../quotes/mpp';
import { asCharge, type Charge, chargeIds, newChargeId } from './charge-order';

const UNPAYABLE =
  'What the provider asks for would fail on chain: its recipient has no USDC token account or cannot receive, or its memo is too dear.';

/** A charge waits for no approval: it is denied with this reason. */
export const UNAPPROVABLE = 'A single payment that needs an approval is declined: open a session, which an operator can approve.';

/** An approval that was simulated and is not stored. */
export interface SimulatedApproval {
  draft: Order;
  simulated: Simulated | undefined;
}

/** The chain refuses an approval for a reason that is no rule. */
class ApprovalRefused extends ChainUnavailable {
  readonly reason: string;

  constructor({ reason, detail }: Failure) {
    super(`The chain refuses single payments of this account: ${detail}. Nothing was signed.`);
    this.reason = reason;
  }
}

/** The approval of a charge on chain, and the transaction that the provider gets. */
@Injectable()
export class ChargeApproval {
  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly orders: OrdersService,
    private readonly orderDrafts: OrderDrafts,
    private readonly backfill: Backfill,
    private readonly forecasts: OrderForecasts,
    private readonly tags: OrderTags,
    private readonly handed: HandedOrders,
  ) {}

  /** A charge that this request paid before the database was restored, and that was backfilled since. @throws ChainUnavailableError */
  async paidBefore(payment: Payment, account: Account): Promise<Charge | undefined> {
    await this.backfill.compareOnce(account);
    const order = await this.backfill.writtenWithin(chargeIds(await this.digest(payment)), payment.accountId);
    return order && asCharge(order);
  }

  /** A new id for a charge of a payment. */
  async newId(payment: Payment): Promise<string> {
    return newChargeId(await this.digest(payment));
  }

  /** The digest of a payment's request, by which a restored database finds what has landed of it. */
  digest({ operatorId, idempotencyKey }: Payment): Promise<Buffer> {
    return this.tags.digest({ operatorId, kind: 'charge', idempotencyKey });
  }

  /** Checks that a payment's charge could be approved. Nothing is stored or sent. @throws what `approve` would throw before it is sent. */
  async check(payment: Payment, funding: Funding, quote: Quote): Promise<void> {
    const { draft, simulated } = await this.simulate(payment, funding, quote);
    if (simulated) await this.forecasts.requireAdmission(draft, simulated);
  }

  /** The approval of a payment's charge, simulated and not stored. @throws Declined, ChainUnavailable */
  async simulate(
    { id, orderId, operatorId, accountId, delegateKey }: Payment,
    { account, caller }: Pick<Funding, 'account' | 'caller'>,
    quote: Quote,
    nonceOf: string | null = null,
  ): Promise<SimulatedApproval> {
    const { payee, microUsdc, category } = quote;
    if (payee === account.chainAddress) throw Declined.because('recipient_mismatch', 'The provider asks the account to pay itself.');
    const draft = await this.orderDrafts.draft({
      id: orderId ?? '',
      kind: 'charge',
      operatorId,
      accountId,
      requestHash: createHash('sha256')
        .update(JSON.stringify([id, payee, microUsdc.toString(), category]))
        .digest(),
      payee,
      delegateKey,
      microUsdc,
      category,
      byAgent: caller.type === 'agent',
      nonceOf,
    });
    const simulated = await this.forecasts.simulate(draft, account);
    const outcome = simulated?.outcome;
    if (outcome?.kind === 'violation') throw new Declined(await this.forecasts.describe(outcome.violation, draft));
    if (outcome?.kind === 'failed') throw new ApprovalRefused(outcome.failure);
    return { draft, simulated };
  }

  /** Approves the charge of a payment on chain. Returns its order, settled. @throws Declined, ChainUnavailable */
  async approve(payment: Payment, funding: Funding, quote: Quote): Promise<Charge> {
    const { draft, simulated } = await this.simulate(payment, funding, quote).catch(async (error: unknown) => {
      if (error instanceof ApprovalRefused && error.reason === 'charge_open') await this.endUnlocked(funding.account);
      throw error;
    });
    const { order } = await this.orders.place(funding.caller, draft, simulated);
    if (order.status === 'settled') return asCharge(order);
    if (order.status === 'pending_approval') await this.orders.deny(order, null, UNAPPROVABLE);
    throw declineOf(order) ?? new ChainUnavailable(order.failure?.message);
  }

  /**
   * Approves the charge of a payment under the nonce of its direct transfer, which the seller refused. Returns its order if it settled; undefined
   * if the transfer landed first, or the chain does not answer in time. `held`: changes the payment in the same statement.
   * @throws Declined, ChainUnavailable
   */
  async takeOver(
    payment: Payment,
    direct: Order,
    funding: Funding,
    { quote, held }: { quote: Quote; held: Sql },
  ): Promise<Charge | undefined> {
    const { draft, simulated } = await this.simulate(payment, funding, quote, direct.id);
    if (!simulated) throw new ChainUnavailable();
    const order = await this.handed.takeOver(direct, draft, simulated, held);
    return order?.status === 'settled' ? asCharge(order) : undefined;
  }

  /** Ends an expired charge that is open on chain without a lock in the database: it was approved before a restore. */
  private async endUnlocked({ chainAddress }: Account): Promise<void> {
    const onChain = await this.chain.accounts.find(chainAddress);
    if (onChain?.openCharge && onChain.openCharge.deadline <= (await this.chain.clock.now()))
      await this.chain.charges.finish(chainAddress, onChain.openCharge.seq, null);
  }

  /** Signs the transfer that the provider asks for. @throws Declined if it would fail on chain. */
  async signTransfer(charge: Charge, quote: ChargeQuote, delegate: Signer): Promise<BuiltPayment> {
    const account = await this.accounts.findEver(charge.operatorId, charge.accountId);
    return this.build(transferOf(quote, account), delegate);
  }

  /** Checks a transfer as `signTransfer` does, while no delegate is approved. @throws Declined if it would fail on chain. */
  async checkTransfer(quote: ChargeQuote, account: Account): Promise<void> {
    try {
      await this.chain.sellerPayments.checkPayment(transferOf(quote, account));
    } catch (error) {
      throw error instanceof ChainRefusedError ? unpayable(error) : error;
    }
  }

  /** With the provider's blockhash if our node knows it, else with one of ours. */
  private async build(transfer: ChargePayment, delegate: Signer): Promise<BuiltPayment> {
    try {
      return await this.chain.sellerPayments.buildPayment(transfer, delegate);
    } catch (error) {
      if (!(error instanceof ChainRefusedError)) throw error;
      if (error.reason === 'blockhash_unknown' && transfer.recentBlockhash !== null)
        return this.build({ ...transfer, recentBlockhash: null }, delegate);
      throw unpayable(error);
    }
  }
}

function transferOf(
  { charge, microUsdc, payee: recipient }: ChargeQuote,
  { chainAddress: owner, usdcTokenAccount: tokenAccount, observedSlot }: Account,
): ChargePayment {
  return {
    owner,
    tokenAccount,
    recipient,
    microUsdc,
    externalId: charge.externalId ?? null,
    recentBlockhash: charge.recentBlockhash ?? null,
    feePayer: charge.feePayerKey ?? null,
    minContextSlot: Number(observedSlot),
  };
}

function unpayable({ reason, message }: ChainRefusedError): Declined {
  return Declined.because(
    'challenge_invalid',
    reason === 'payment_fails' ? UNPAYABLE : `What the provider asks for cannot be built: ${message}.`,
  );
}

/** The policy violation of a rejected approval, before it was sent or on chain. */
export function declineOf({ status, violation, rejectionReason }: Order): Declined | undefined {
  if (status === 'pending_approval' || rejectionReason === 'denied' || rejectionReason === 'approval_expired')
    return Declined.because('escalation_threshold', UNAPPROVABLE);
  return status === 'rejected' && violation ? new Declined(violation) : undefined;
}
