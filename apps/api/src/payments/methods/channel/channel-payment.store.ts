import { Injectable } from '@nestjs/common';
import type { PaidChannel } from '#chain';
import { sql } from '#database';
import { type Channel, ChannelStore } from '../../../channels';
import { OutboxService } from '../../../events';
import { LedgerService } from '../../../ledger';
import type { StoredViolation } from '../../../orders';
import { enter, leave, type TransitionEffects } from '../../../persistence/transition';
import { ChannelPurseStore, type Purse, paymentCommitted } from '../../../purses';
import { Clock } from '../../../runtime/clock';
import type { Payment } from '../../payment.entity';
import type { Quote } from '../payment-method';
import { PAYMENT_TRANSITIONS } from '../../payment.states';
import { payable } from '../../payment.sql';
import { PaymentStore } from '../../payment.store';
import { paidEffects } from '../charge/charge-order';

const T = PAYMENT_TRANSITIONS;

/** A signed opening, and the channel that it opens. */
export interface ChannelCredential {
  credentialSealed: string;
  channel: Parameters<ChannelStore['insertion']>[0];
}

/** The transitions of payments by channel. The channel and the purse change in the same statements. */
@Injectable()
export class ChannelPaymentStore {
  constructor(
    private readonly clock: Clock,
    private readonly outbox: OutboxService,
    private readonly ledger: LedgerService,
    private readonly channels: ChannelStore,
    private readonly channelPurses: ChannelPurseStore,
    private readonly payments: PaymentStore,
  ) {}

  /** Stores the id that the purse of a payment will have, before it is funded. Undefined if the payment is no longer to be authorized. */
  begin(payment: Payment, purseId: string): Promise<Payment | undefined> {
    return this.payments.transition(
      payment,
      sql`UPDATE payments SET method = 'channel', protocol = 'x402', order_id = ${purseId}
          WHERE id = ${payment.id} AND ${leave(T.authorize)} RETURNING *`,
    );
  }

  /** Stores the credential and its channel before it is sent. Undefined if the purse is no longer open. */
  authorize(payment: Payment, purse: Purse, quote: Quote, { credentialSealed, channel }: ChannelCredential): Promise<Payment | undefined> {
    const { id } = payment;
    const before = sql`${payable(id, leave(T.authorize))}, ${paymentCommitted(purse.id, quote.microUsdc)}`;
    return this.payments.authorize(
      payment,
      sql`UPDATE payments SET ${this.payments.credentialColumns({ ...quote, credentialSealed })}, method = 'channel', protocol = 'x402',
            purse_id = ${purse.id}, last_valid_block_height = ${channel.lastValidBlockHeight.toString()}
          FROM available WHERE payments.id = ${id} RETURNING payments.*`,
      { before, companion: this.channels.insertion(channel) },
    );
  }

  /** The channel is over, and paid this. Nothing is no record. */
  settle(payment: Payment, channel: Channel, { microUsdc, signature }: PaidChannel): Promise<Payment | undefined> {
    const settledAt = this.clock.now();
    return this.payments.transition(
      payment,
      sql`UPDATE payments SET status = CASE WHEN receipt IS NULL THEN 'paid_unreceipted' ELSE 'paid' END, signature = ${signature},
            micro_usdc = ${microUsdc.toString()}, final_at = ${settledAt}, failure = NULL
          WHERE id = ${payment.id} AND ${leave(T.settle)} RETURNING *`,
      {
        companion: [this.channels.closing(channel, microUsdc), this.channelPurses.paid(channel, microUsdc)],
        ...(microUsdc > 0n && this.effects(payment, channel.purseId, { microUsdc, signature, settledAt })),
      },
    );
  }

  /** A restored database has lost the credential: its purse shows what was paid. The amount that a backfilled one spent is recorded. */
  settleLost(payment: Payment, purse: Purse, quote: Quote | null): Promise<Payment | undefined> {
    const settledAt = this.clock.now();
    const microUsdc = purse.spentMicroUsdc;
    const lost = { ...payment, payee: quote?.payee ?? payment.payee, category: purse.category, orderId: purse.id };
    const isRecorded = purse.recordedMicroUsdc >= microUsdc;
    return this.payments.transition(
      payment,
      sql`UPDATE payments SET ${enter(T.settleUnreceipted)}, method = 'channel', protocol = 'x402', order_id = ${purse.id}, purse_id = ${purse.id},
            micro_usdc = ${microUsdc.toString()}, payee = ${lost.payee}, category = ${lost.category}, final_at = ${settledAt}, failure = NULL
          WHERE id = ${payment.id} AND ${leave(T.settle)} RETURNING *`,
      isRecorded
        ? {}
        : {
            companion: this.channelPurses.recorded(purse.id, microUsdc),
            ...this.effects(lost, purse.id, { microUsdc, signature: null, settledAt }),
          },
    );
  }

  /** The channel can never be opened, or its seller answered with no success and took nothing. */
  refuse(payment: Payment, channel: Channel, violation: StoredViolation): Promise<Payment | undefined> {
    return this.payments.reject(payment, T.refuse, violation, null, [
      this.channels.closing(channel, 0n),
      this.channelPurses.paid(channel, 0n),
    ]);
  }

  private effects(
    payment: Payment,
    channelPurseId: string,
    paid: { microUsdc: bigint; signature: string | null; settledAt: Date },
  ): Pick<TransitionEffects, 'event' | 'entries'> {
    const { orderId, purseId } = payment;
    const outOf = orderId === null ? purseId : null;
    const { event, entries } = paidEffects({ ...payment, id: orderId ?? payment.id }, { payment, outOf, channelPurseId, ...paid });
    return { event: this.outbox.row(event), entries: this.ledger.rows(entries) };
  }
}
