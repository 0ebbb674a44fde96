import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Mutex } from '../../runtime/mutex';
import { PaymentStore } from '../payment.store';
import type { Payment } from '../payment.entity';

/** How long a payment waits for the charges of its account that came before. */
const WAIT_MS = 30_000;
const LOOK_EVERY_MS = 50;

/** An account has one charge open at a time. Those of this process wait in their order, and its first with the other processes' for the row that is the turn. */
@Injectable()
export class ChargeLocks {
  private readonly mutex = new Mutex();

  constructor(private readonly store: PaymentStore) {}

  /** The payment with the key of its charge, once it is its turn. Undefined when that took too long. */
  take(payment: Payment, delegate: { key: string; sealed: string }): Promise<Payment | undefined> {
    const { accountId } = payment;
    const deadline = performance.now() + WAIT_MS;
    return this.mutex.runExclusive(accountId, () => this.until(deadline, payment, delegate));
  }

  private async until(deadline: number, payment: Payment, delegate: { key: string; sealed: string }): Promise<Payment | undefined> {
    for (;;) {
      const taken = await this.store.beginCharge(payment, delegate);
      if (taken || performance.now() > deadline) return taken;
      await setTimeout(LOOK_EVERY_MS);
    }
  }
}
