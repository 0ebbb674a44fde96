import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { hydrate, type Row, SharedStatements, sql } from '#database';
import { IdempotencyKeys, IF_DECLINED } from '../../persistence/idempotency';
import { enter, leave } from '../../persistence/transition';
import { Clock } from '../../runtime/clock';
import { Config } from '../../runtime/config';
import { Payment } from '../payment.entity';
import { PAYMENT_TRANSITIONS } from '../payment.states';
import { PaymentStore } from '../payment.store';

const RERUN = PAYMENT_TRANSITIONS.rerun;

/** The request that a key is looked up for. */
type Keyed = Pick<Payment, 'operatorId' | 'accountId' | 'idempotencyKey'>;

/** Payments by their idempotency keys: one a key, found by it, and run again under it. */
@Injectable()
export class PaymentKeys {
  private readonly keys: IdempotencyKeys;
  private readonly insertions: SharedStatements;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly payments: PaymentStore,
  ) {
    this.insertions = new SharedStatements(database);
    this.keys = new IdempotencyKeys(database, {
      table: 'payments',
      column: 'active_idempotency_key',
      scope: ['operator_id'],
      isFree: () => sql`final_at <= ${this.keysFreeBefore()}`,
      ofAccount: IF_DECLINED,
    });
  }

  /** The payment that holds the key of a request against its account: until 24 hours after it became final. */
  async findByKey({ operatorId, accountId, idempotencyKey }: Keyed): Promise<Payment | undefined> {
    const row = await this.keys.holder([operatorId], idempotencyKey, accountId);
    return row && hydrate(this.database, Payment, row);
  }

  /**
   * Inserts a payment with the sealed evidence of its request, unless its idempotency key is in use: then returns the payment that holds it.
   */
  async insert(payment: Payment, requestEvidence: string | null = null): Promise<{ payment: Payment; isNew: boolean }> {
    const insert = async (): Promise<Row | undefined> => {
      const [inserted] = await this.insertions.execute(
        sql`INSERT INTO payments (id, operator_id, account_id, session_id, purse_id, idempotency_key, active_idempotency_key, request_hash,
              mode, max_micro_usdc, provider, request_method, request_url, request_sealed, status, created_at,
              lease_until, reference, metadata, request_evidence_sealed)
            VALUES (${payment.id}, ${payment.operatorId}, ${payment.accountId}, ${payment.sessionId}, ${payment.purseId},
                    ${payment.idempotencyKey}, ${payment.idempotencyKey}, ${payment.requestHash}, ${payment.mode},
                    ${payment.maxMicroUsdc.toString()}, ${payment.provider}, ${payment.requestMethod}, ${payment.requestUrl},
                    ${payment.requestSealed}, 'created', ${payment.createdAt}, ${this.payments.leaseEnd()},
                    ${payment.reference}, ${JSON.stringify(payment.metadata)}, ${requestEvidence})
            ON CONFLICT (operator_id, active_idempotency_key) DO NOTHING RETURNING *`,
        payment.accountId,
      );
      return inserted;
    };
    const { row, isNew } = await this.keys.insertOnce([payment.operatorId], payment.idempotencyKey, insert, payment.accountId);
    return { payment: hydrate(this.database, Payment, row), isNew };
  }

  /** Whether a payment holds its key, or may hold it again: another account may have taken it from a payment that was declined. */
  hasKey(payment: Payment): Promise<boolean> {
    return this.keys.mayHold([payment.operatorId], payment);
  }

  /** Takes a payment that failed, or lacked balance, up again under its id and its key. Undefined if another request did meanwhile. */
  async rerun(payment: Payment): Promise<Payment | undefined> {
    const { id, finalAt } = payment;
    await this.keys.releaseFor([payment.operatorId], payment);
    return this.payments.transition(
      payment,
      sql`UPDATE payments SET ${enter(RERUN)}, rejection_reason = NULL, violation = NULL, failure = NULL, final_at = NULL,
                 active_idempotency_key = idempotency_key, lease_until = ${this.payments.leaseEnd()}
          WHERE id = ${id} AND ${leave(RERUN)} AND final_at = ${finalAt}
            AND (status = 'failed' OR rejection_reason = 'insufficient_balance') RETURNING *`,
    );
  }

  private keysFreeBefore(): Date {
    return new Date(this.clock.now().getTime() - this.config.IDEMPOTENCY_TTL_SECONDS * 1000);
  }
}
