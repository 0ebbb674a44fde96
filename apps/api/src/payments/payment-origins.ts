import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { IncomingMovement } from '#chain';
import { type Account, IncomingPayments, type PaymentFinder, type PaymentIds } from '../accounts';
import { SessionStore } from '../sessions';
import { PaymentStore } from './payment.store';

/** Finds the payment, or the session, by which an account paid another account of the same operator. */
@Injectable()
export class PaymentOrigins implements PaymentFinder, OnModuleInit {
  constructor(
    private readonly incoming: IncomingPayments,
    private readonly sessions: SessionStore,
    private readonly payments: PaymentStore,
  ) {}

  onModuleInit(): void {
    this.incoming.register(this);
  }

  async idsOf({ session, authority, signature }: IncomingMovement, { id }: Account): Promise<PaymentIds> {
    if (session) return { paymentId: null, sessionId: (await this.sessions.idAt(session.address)) ?? null };
    return { paymentId: (await this.payments.idByDelegate(id, { key: authority, signature })) ?? null, sessionId: null };
  }
}
