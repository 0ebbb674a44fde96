import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { sql } from '#database';
import { type Channel, ChannelStore, type NewChannel, type TopUp } from '../../../channels';
import type { StoredViolation } from '../../../orders';
import { enter, leave, runTransition } from '../../../persistence/transition';
import { type Purse, channelCommitted, paymentCommitted } from '../../../purses';
import { Clock } from '../../../runtime/clock';
import type { Payment, SealedAnswer } from '../../payment.entity';
import { PAYMENT_TRANSITIONS } from '../../payment.states';
import { answerColumns, payable } from '../../payment.sql';
import { type Authorized, PaymentStore } from '../../payment.store';

const T = PAYMENT_TRANSITIONS;

/** The facts of a voucher that its answer tells. */
export interface Acceptance {
  /** The receipt as it came; null without one. */
  receipt: string | null;
  /** Micro-USDC that the seller counts in all, up to what the voucher allowed; null for all of that. */
  cumulative: bigint | null;
}

/** A voucher that must be taken for accepted. */
export const UNRECEIPTED: Acceptance = { receipt: null, cumulative: null };

/** The transitions of payments by vouchers of channels, each with its change of the channel in one statement. */
@Injectable()
export class ChannelSessionStore {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly payments: PaymentStore,
    private readonly channels: ChannelStore,
  ) {}

  /** Commits the deposit of a channel and stores it, before its opening is sent. False if the purse is no longer open or has no room. */
  async opening({ id }: Purse, channel: NewChannel): Promise<boolean> {
    const change = channelCommitted(id, channel.depositMicroUsdc);
    return (await runTransition(this.database, change, { companion: this.channels.insertion(channel) })) !== undefined;
  }

  /** Commits a top-up and stores it, before it is sent. False if the purse has no room, or the channel is not as it was read. */
  async topUp({ id }: Purse, channel: Channel, topUp: { microUsdc: bigint; transaction: string }): Promise<boolean> {
    const change = channelCommitted(id, topUp.microUsdc, sql`EXISTS (SELECT 1 FROM ready)`);
    const effects = { before: this.channels.readyToTopUp(channel), companion: this.channels.topUp(channel, topUp) };
    return (await runTransition(this.database, change, effects)) !== undefined;
  }

  /**
   * Stores a voucher of a cumulative amount, before it is sent. Undefined while another payment of the channel has no answer, and if the
   * channel is not as it was read.
   */
  authorize(
    payment: Payment,
    channel: Channel,
    authorized: Authorized,
    voucher: { cumulative: bigint; challenge: object },
  ): Promise<Payment | undefined> {
    const { id } = payment;
    const before = sql`${payable(id, leave(T.authorize))}, ${this.channels.voucherSigned(channel, { ...voucher, paymentId: id })}`;
    return this.payments.authorize(
      payment,
      sql`UPDATE payments SET ${this.payments.credentialColumns(authorized)}, method = 'channel', protocol = ${channel.protocol},
            purse_id = available.purse_id, cumulative_micro_usdc = ${voucher.cumulative.toString()}
          FROM available WHERE payments.id = ${id} AND ${leave(T.authorize)} RETURNING payments.*`,
      { before },
    );
  }

  /**
   * Stores the opening of a channel with its first voucher, which are sent together. Undefined if the purse is no longer open or has no room,
   * or the payment is no longer to be authorized.
   */
  authorizeOpening(payment: Payment, authorized: Authorized, channel: NewChannel): Promise<Payment | undefined> {
    const { id } = payment;
    const before = sql`${payable(id, leave(T.authorize))}, ${paymentCommitted(channel.purseId, channel.depositMicroUsdc)}`;
    return this.payments.authorize(
      payment,
      sql`UPDATE payments SET ${this.payments.credentialColumns(authorized)}, method = 'channel', protocol = 'x402',
            purse_id = ${channel.purseId}, cumulative_micro_usdc = ${authorized.microUsdc.toString()}
          FROM available WHERE payments.id = ${id} RETURNING payments.*`,
      { before, companion: this.channels.insertion(channel) },
    );
  }

  /**
   * Stores a top-up of a channel with the next voucher, which are sent together. Undefined if the purse has no room, the channel is not as it
   * was read, or the payment is no longer to be authorized.
   */
  authorizeTopUp(
    payment: Payment,
    channel: Channel,
    authorized: Authorized,
    voucher: { cumulative: bigint; challenge: object },
    topUp: TopUp,
  ): Promise<Payment | undefined> {
    const { id } = payment;
    const committed = paymentCommitted(channel.purseId, topUp.microUsdc, sql`EXISTS (SELECT 1 FROM ready)`);
    return this.payments.authorize(
      payment,
      sql`UPDATE payments SET ${this.payments.credentialColumns(authorized)}, method = 'channel', protocol = 'x402',
            purse_id = ${channel.purseId}, cumulative_micro_usdc = ${voucher.cumulative.toString()}
          FROM available WHERE payments.id = ${id} RETURNING payments.*`,
      {
        before: sql`${payable(id, leave(T.authorize))}, ${this.channels.readyToTopUp(channel)}, ${committed}`,
        companion: this.channels.topUpByVoucher(channel, topUp, voucher),
      },
    );
  }

  /** Stores another voucher of a payment that is under way, before it is sent. Undefined if the channel or the payment is not as it was read. */
  correct(
    payment: Payment,
    channel: Channel,
    { accepted, credentialSealed }: { accepted: bigint; credentialSealed: string },
  ): Promise<Payment | undefined> {
    const { id } = payment;
    const cumulative = accepted + payment.microUsdc;
    return this.payments.transition(
      payment,
      sql`UPDATE payments SET credential_sealed = ${credentialSealed}, cumulative_micro_usdc = ${cumulative.toString()}
          FROM corrected WHERE payments.id = ${id} AND ${leave(T.accept)} RETURNING payments.*`,
      { before: this.channels.corrected(channel, { paymentId: id, accepted, cumulative }) },
    );
  }

  /** The provider accepted the voucher, or must be taken to have accepted it. The payment costs what the channel's sum rose by. */
  accept(
    payment: Payment,
    answer: SealedAnswer | null,
    { receipt, cumulative }: Acceptance,
    chainNow: Date | null,
  ): Promise<Payment | undefined> {
    const transition = receipt === null ? T.acceptUnreceipted : T.accept;
    const allowed = payment.cumulativeMicroUsdc ?? 0n;
    const before = allowed - payment.microUsdc;
    const accepted = cumulative === null || cumulative > allowed ? allowed : cumulative < before ? before : cumulative;
    return this.payments.transition(
      payment,
      sql`UPDATE payments SET ${enter(transition)}, receipt = ${receipt}, ${answerColumns(answer)}, final_at = ${this.clock.now()},
            micro_usdc = ${(accepted - before).toString()}, cumulative_micro_usdc = ${accepted.toString()}
          WHERE id = ${payment.id} AND ${leave(transition)} RETURNING *`,
      { companion: this.channels.voucherAnswered({ accepted, chainNow }) },
    );
  }

  /** The provider refused the voucher: the next one adds to what it accepted before. */
  refuse(payment: Payment, violation: StoredViolation, answer: SealedAnswer): Promise<Payment | undefined> {
    return this.payments.reject(payment, T.refuse, violation, answer, this.channels.voucherAnswered({ accepted: null, chainNow: null }));
  }
}
