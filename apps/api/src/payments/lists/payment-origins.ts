import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { IncomingMovement } from '#chain';
import { type Account, IncomingPayments, type PaymentFinder, type PaymentIds } from '../../accounts';
import { ChannelStore } from '../../channels';
import { SessionReader } from '../../sessions';
import { PaymentStore } from '../payment.store';

/** Finds the payment, or the session, by which an account paid another account of the same operator. */
@Injectable()
export class PaymentOrigins implements PaymentFinder, OnModuleInit {
  constructor(
    private readonly incoming: IncomingPayments,
    private readonly sessions: SessionReader,
    private readonly payments: PaymentStore,
    private readonly channels: ChannelStore,
  ) {}

  onModuleInit(): void {
    this.incoming.register(this);
  }

  /** A channel pays out under its own address. */
  async payerByChannel({ authority }: IncomingMovement): Promise<string | undefined> {
    return (await this.channels.at(authority))?.accountId;
  }

  async idsOf({ session, authority, signature }: IncomingMovement, { id }: Account): Promise<PaymentIds> {
    const channel = session ? undefined : await this.channels.at(authority);
    if (channel) return { paymentId: channel.paymentId, sessionId: null };
    if (session) return { paymentId: null, sessionId: (await this.sessions.idAt(session.address)) ?? null };
    return { paymentId: (await this.payments.idByDelegate(id, { key: authority, signature })) ?? null, sessionId: null };
  }
}
