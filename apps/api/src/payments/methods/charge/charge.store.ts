import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, type Sql, sql } from '#database';
import { OutboxService } from '../../../events';
import { LedgerService } from '../../../ledger';
import type { StoredViolation } from '../../../orders';
import { leave } from '../../../persistence/transition';
import { Clock } from '../../../runtime/clock';
import type { Payment, PaymentProtocol } from '../../payment.entity';
import type { Quote } from '../payment-method';
import { PAYMENT_TRANSITIONS } from '../../payment.states';
import { paidBy } from '../../payment.sql';
import { PaymentStore } from '../../payment.store';
import { type Charge, type PaidCharge, paidEffects } from './charge-order';

const T = PAYMENT_TRANSITIONS;
/** The charge of the payment is over: the account's next one may begin. */
const UNLOCK = sql`DELETE FROM open_charges USING moved WHERE open_charges.payment_id = moved.id`;

/** A credential, and how the landing of its transfer will be found. */
export interface ChargeCredential {
  credentialSealed: string;
  /** Null if the provider signs last: then the transfer is found by its delegate. */
  signature: string | null;
  lastValidBlockHeight: number;
}

/** The facts that are prepared for a charge before its approval is sent. */
export interface NewCharge {
  protocol: PaymentProtocol;
  /** The id that the order will have. */
  orderId: string;
  delegateKey: string;
  delegateKeySealed: string;
}

/** The transitions of payments by charge, and the lock that gives an account one open charge at a time. */
@Injectable()
export class ChargeStore {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly outbox: OutboxService,
    private readonly ledger: LedgerService,
    private readonly payments: PaymentStore,
  ) {}

  /**
   * Locks the account for the charge of a payment without a credential, and stores its delegate. Undefined while another charge has the
   * lock.
   */
  async begin({ id }: Payment, { protocol, orderId, delegateKey, delegateKeySealed }: NewCharge): Promise<Payment | undefined> {
    const [payment] = await this.payments.read(
      sql`WITH locked AS (INSERT INTO open_charges (account_id, payment_id, taken_at)
              SELECT account_id, id, ${this.clock.now()} FROM payments WHERE id = ${id} AND status = 'created'
                FOR UPDATE ON CONFLICT DO NOTHING RETURNING payment_id)
          UPDATE payments SET method = 'charge', protocol = ${protocol}, order_id = ${orderId}, delegate_key = ${delegateKey},
                 delegate_key_sealed = ${delegateKeySealed}
          FROM locked WHERE payments.id = locked.payment_id RETURNING payments.*`,
    );
    return payment;
  }

  /** Locks the account for a charge that is to take over the nonce of the payment's direct transfer. Undefined while another charge has the lock. */
  async lockFollowing({ id }: Payment): Promise<Payment | undefined> {
    const [payment] = await this.payments.read(
      sql`WITH locked AS (INSERT INTO open_charges (account_id, payment_id, taken_at)
              SELECT account_id, id, ${this.clock.now()} FROM payments WHERE id = ${id} ON CONFLICT DO NOTHING RETURNING payment_id)
          SELECT payments.* FROM payments JOIN locked ON payments.id = locked.payment_id`,
    );
    return payment;
  }

  /** Makes a payment one by the charge that takes over its direct transfer's nonce, as a part of that: `taken` is the row of the transfer. */
  following({ id }: Payment, { orderId, delegateKey, delegateKeySealed }: NewCharge): Sql {
    return sql`UPDATE payments SET method = 'charge', order_id = ${orderId}, delegate_key = ${delegateKey}, delegate_key_sealed = ${delegateKeySealed}
      FROM taken WHERE payments.id = ${id} AND payments.status = 'unknown' AND payments.order_id = taken.id
        AND EXISTS (SELECT 1 FROM open_charges WHERE payment_id = payments.id) RETURNING payments.id`;
  }

  /** Whether a charge or a purse has the lock of an account. */
  async isLocked(accountId: string): Promise<boolean> {
    return (await execute(this.database, sql`SELECT 1 FROM open_charges WHERE account_id = ${accountId}`)).length > 0;
  }

  /** The open purse that has the lock of an account: it may have it for an hour. */
  async lockingPurse(accountId: string): Promise<string | undefined> {
    const [row] = await execute(
      this.database,
      sql`SELECT purse_id FROM open_charges WHERE account_id = ${accountId} AND purse_id IS NOT NULL`,
    );
    return row && String(row.purse_id);
  }

  /** Stores the credential of a charge before it is sent. */
  authorize(
    payment: Payment,
    quote: Quote,
    { credentialSealed, signature, lastValidBlockHeight }: ChargeCredential,
  ): Promise<Payment | undefined> {
    return this.payments.authorize(
      payment,
      sql`UPDATE payments SET ${this.payments.credentialColumns({ ...quote, credentialSealed })}, transaction_signature = ${signature},
        last_valid_block_height = ${lastValidBlockHeight}
      WHERE id = ${payment.id} AND ${leave(T.authorize)} AND EXISTS (SELECT 1 FROM open_charges WHERE payment_id = payments.id) RETURNING *`,
    );
  }

  /** Stores another credential of the same charge. The payment may land until the later of the two has expired. */
  replaceCredential(payment: Payment, { credentialSealed, lastValidBlockHeight }: ChargeCredential): Promise<Payment | undefined> {
    return this.payments.transition(
      payment,
      sql`UPDATE payments SET credential_sealed = ${credentialSealed},
            last_valid_block_height = GREATEST(last_valid_block_height, ${lastValidBlockHeight})
          WHERE id = ${payment.id} AND status = 'unknown' AND transaction_signature IS NULL RETURNING *`,
    );
  }

  /** The chain shows that the charge was paid, whatever the row says. A backfilled order has its ledger entry already. */
  settle(payment: Payment, charge: Charge, { signature, slot, microUsdc }: PaidCharge): Promise<Payment | undefined> {
    const settledAt = this.clock.now();
    const recorded = charge.source === 'backfill' ? undefined : paidEffects(charge, { payment, microUsdc, signature, settledAt });
    return this.payments.transition(
      payment,
      sql`UPDATE payments SET status = CASE WHEN receipt IS NULL THEN 'paid_unreceipted' ELSE 'paid' END, order_id = ${charge.id},
             signature = ${signature}, landed_slot = ${slot}, micro_usdc = ${microUsdc.toString()}, payee = ${charge.payee}, category = ${charge.category},
             final_at = ${settledAt}, failure = NULL
          WHERE id = ${payment.id} AND ${leave(T.settle)} RETURNING *`,
      {
        companion: UNLOCK,
        event: recorded && this.outbox.row(recorded.event),
        entries: this.ledger.rows(recorded?.entries ?? []),
      },
    );
  }

  /** The chain went back behind the charge. It is locked again, because its approval may be open again. */
  reverse(payment: Payment): Promise<Payment | undefined> {
    return this.payments.reverse(payment, {
      before: sql`locked AS (INSERT INTO open_charges (account_id, payment_id, taken_at)
            SELECT account_id, id, ${this.clock.now()} FROM payments WHERE id = ${payment.id} AND ${paidBy(payment)} ON CONFLICT DO NOTHING)`,
    });
  }

  /** The chain shows that the charge was not paid and never can be. */
  refuse(payment: Payment, violation: StoredViolation): Promise<Payment | undefined> {
    return this.payments.reject(payment, T.refuse, violation, null, UNLOCK);
  }

  /** The charge of a payment is over, or never was approved. */
  async unlock({ id }: Payment): Promise<void> {
    await execute(this.database, sql`DELETE FROM open_charges WHERE payment_id = ${id}`);
  }

  /** Unlocks the account of a payment whose charge was not to be. */
  async unlockUnlessCharged({ id }: Payment): Promise<void> {
    await execute(
      this.database,
      sql`DELETE FROM open_charges USING payments WHERE payments.id = ${id} AND open_charges.payment_id = payments.id AND payments.method <> 'charge'`,
    );
  }

  /** Final payments whose charges are not known to be over. */
  finalAndLocked(limit: number): Promise<Payment[]> {
    return this.payments.read(
      sql`SELECT payments.* FROM open_charges JOIN payments ON payments.id = open_charges.payment_id WHERE payments.final_at IS NOT NULL
          ORDER BY taken_at LIMIT ${limit}`,
    );
  }

  /** The payments whose charges lock an account. */
  locking(accountId: string): Promise<Payment[]> {
    return this.payments.read(
      sql`SELECT payments.* FROM open_charges JOIN payments ON payments.id = open_charges.payment_id WHERE open_charges.account_id = ${accountId}`,
    );
  }

  /** The accounts among these with a charge that was locked after a time. */
  async lockedSince(accountIds: string[], since: Date): Promise<Set<string>> {
    const rows = await execute(
      this.database,
      sql`SELECT account_id FROM open_charges WHERE account_id = ANY(${accountIds}) AND taken_at > ${since}`,
    );
    return new Set(rows.map(({ account_id }) => String(account_id)));
  }
}
