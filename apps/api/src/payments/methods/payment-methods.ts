import { Injectable } from '@nestjs/common';
import { ChannelPurseStore, type Purse, PurseStore } from '../../purses';
import type { Payment } from '../payment.entity';
import type { Asked, Funding, PaymentMethod } from './payment-method';
import { Declined } from '../payments.errors';
import { RepeatedPayments } from '../process/repeated-payments';
import { MppChargeMethod } from './charge/mpp-charge';
import { PurseMethod } from './purse/purse';
import { BatchMethod } from './batch/batch';
import { ChannelMethod } from './channel/channel';
import { ChannelSessionMethod } from './channel-session/channel-session';
import { TransferMethod } from './transfer/transfer';
import { VoucherMethod } from './voucher/voucher';
import { X402ChargeMethod } from './charge/x402-charge';

/** Channel purses that one payment looks at. */
const MAX_TRIED_PURSES = 8;

/** A method, and the money that it pays with. */
export interface Candidate {
  method: PaymentMethod;
  funding: Funding;
}

/** Every way to pay, and the choice among them. */
@Injectable()
export class PaymentMethods {
  constructor(
    private readonly purses: PurseStore,
    private readonly channelPurses: ChannelPurseStore,
    private readonly voucher: VoucherMethod,
    private readonly purse: PurseMethod,
    private readonly transfer: TransferMethod,
    private readonly x402: X402ChargeMethod,
    private readonly channel: ChannelMethod,
    private readonly batch: BatchMethod,
    private readonly channelSession: ChannelSessionMethod,
    private readonly charge: MppChargeMethod,
    private readonly repeated: RepeatedPayments,
  ) {}

  /**
   * The ways to pay a 402, in order of preference: the session that the request names or opens, or the purse that it names, and nothing
   * else; or an open purse, then an open session with the provider, then the cheapest of x402 by a direct
   * transfer, if the seller takes one, x402 by a charge, `upto` and `batch-settlement` by a channel and an MPP charge. At least one, so that its decline is the
   * answer if none is offered.
   */
  async candidates(asked: Asked, payment: Payment, funding: Funding): Promise<Candidate[]> {
    if (funding.session === null && funding.openSession !== null && this.channelSession.isOffered(asked))
      return [this.channelSession, ...(this.voucher.takes(asked, payment, funding) ? [this.voucher] : [])].map((method) => ({
        method,
        funding,
      }));
    if (funding.session !== null || funding.openSession !== null) return [{ method: this.voucher, funding }];
    if (funding.purse !== null) return this.outOf(asked, funding.purse, funding);
    if (await this.repeated.isPaidByTransfer(payment, funding.account)) return [{ method: this.transfer, funding }];
    if (await this.repeated.isPaidByCharge(payment, funding.account)) return this.charges(asked).map((method) => ({ method, funding }));
    if (await this.repeated.isPaidByChannel(payment, funding.account))
      return [{ method: this.channel.isOffered(asked) ? this.channel : this.batch, funding }];
    const purses = await this.openPurses(asked, payment, funding);
    const candidates = purses.flatMap((purse) => this.outOf(asked, purse, funding));
    const session = this.voucher.isOffered(asked) ? await this.voucher.openSessionFor(asked, payment, funding) : undefined;
    if (session) candidates.push({ method: this.voucher, funding: { ...funding, session } });
    const isOther = candidates.length > 0;
    const charges = this.charges(asked).filter((method) => !isOther || method.isOffered(asked));
    const anew = await this.paidAnew(charges, asked, payment, funding);
    return [...candidates, ...anew.map((method) => ({ method, funding }))];
  }

  /** The ways to pay out of a purse; at least one, whose decline is the answer. */
  private outOf(asked: Asked, purse: Purse, funding: Funding): Candidate[] {
    const byChannel = [this.channel, this.batch, this.channelSession].filter((method) => method.isOffered(asked));
    const methods = purse.kind === 'allowance' ? [this.purse] : byChannel.length > 0 ? byChannel : [this.channel];
    return methods.map((method) => ({ method, funding: { ...funding, purse } }));
  }

  /** The open purses that a 402 may be paid out of: those of the seller's host first, then those that end first. */
  private async openPurses(asked: Asked, payment: Payment, funding: Funding): Promise<Purse[]> {
    const { host } = new URL(payment.provider);
    const allowance = this.purse.isOffered(asked) ? await this.purses.openFor(payment.accountId) : undefined;
    const offered = [this.channel, this.batch, this.channelSession].filter((method) => method.isOffered(asked));
    const [microUsdc] = offered.flatMap((method) => priceOf(method, asked, payment, funding) ?? []);
    const channel =
      microUsdc === undefined ? [] : await this.channelPurses.openFor(payment.accountId, host, { microUsdc, limit: MAX_TRIED_PURSES });
    return [...(allowance ? [allowance] : []), ...channel].sort(
      (one, other) => Number(other.host === host) - Number(one.host === host) || endOf(one) - endOf(other),
    );
  }

  /**
   * The ways without a session or a purse, the cheapest first; at one price a direct transfer, then x402 `exact`, then `upto`. A direct
   * transfer first, if the account lists its counterparties: it has no charges.
   */
  private async paidAnew(charges: PaymentMethod[], asked: Asked, payment: Payment, funding: Funding): Promise<PaymentMethod[]> {
    const isTried = await this.transfer.isTried(asked, payment, funding);
    const methods = isTried ? [this.transfer, ...charges] : charges;
    if (methods.length === 1 || (await this.transfer.isOnlyWay(funding.account))) return methods;
    const priced = methods.map((method) => ({ method, price: priceOf(method, asked, payment, funding) }));
    return priced.sort((one, other) => byPrice(one.price, other.price)).map(({ method }) => method);
  }

  /** The single payments that a 402 offers; at least one. */
  private charges(asked: Asked): PaymentMethod[] {
    const offered = [this.x402, this.channel, this.batch, this.charge].filter((method) => method.isOffered(asked));
    return offered.length > 0 ? offered : [this.charge];
  }

  /** Every way that a 402 offers, whether or not it can be paid. */
  offered(asked: Asked): PaymentMethod[] {
    return [this.voucher, this.x402, this.channel, this.batch, this.channelSession, this.charge].filter((method) =>
      method.isOffered(asked),
    );
  }

  /** The payment after its provider refused a credential that the agent sent: with the credential of the next way, if there is one. */
  async afterRefusal(payment: Payment, asked: Asked, funding: Funding, reason: string): Promise<Payment> {
    if (payment.status !== 'unknown' || payment.method !== this.transfer.name) return payment;
    return this.transfer.afterRefusal(payment, { quote: this.transfer.quote(asked, payment), funding, reason });
  }

  /** The method that a payment was authorized by; undefined if none was chosen. */
  of({ method, protocol, cumulativeMicroUsdc }: Payment): PaymentMethod | undefined {
    const byVoucher = cumulativeMicroUsdc !== null;
    return [
      this.voucher,
      this.purse,
      this.transfer,
      this.x402,
      byVoucher ? this.batch : this.channel,
      this.channelSession,
      this.charge,
    ].find((each) => each.name === method && each.protocol === protocol);
  }
}

/** The price that a method would pay, in micro-USDC; undefined if it takes none of the 402. */
function priceOf(method: PaymentMethod, asked: Asked, payment: Payment, funding: Funding): bigint | undefined {
  try {
    return method.quote(asked, payment, funding).microUsdc;
  } catch (error) {
    if (error instanceof Declined) return undefined;
    throw error;
  }
}

const endOf = ({ expiresAt }: Purse): number => expiresAt?.getTime() ?? 0;

/** Those without a price last. */
function byPrice(one: bigint | undefined, other: bigint | undefined): number {
  if (one === other) return 0;
  if (one === undefined || other === undefined) return one === undefined ? 1 : -1;
  return one < other ? -1 : 1;
}
