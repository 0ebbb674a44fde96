import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, hydrate, type Row, type Sql, sql, words } from '#database';
import { referenceOf } from '../http/references';
import { LedgerService } from '../ledger';
import type { StoredViolation } from '../orders';
import { IdempotencyKeys } from '../persistence/idempotency';
import { Lease } from '../persistence/lease';
import { enter, leave, runTransition, type Transition } from '../persistence/transition';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';
import { Payment, type PaymentFailure } from './payment.entity';
import { PAYMENT_TRANSITIONS, type PaymentStatus, UNRESOLVED_PAYMENTS } from './payment.states';

/** Requests and answers are kept this long after a payment is final. */
const KEPT_MS = 24 * 60 * 60_000;
const T = PAYMENT_TRANSITIONS;
const IS_UNRESOLVED = sql`status IN (${words(UNRESOLVED_PAYMENTS)})`;

/** A provider's answer as it is stored. */
export interface KeptAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  truncated: boolean;
}

/** What a stored credential pays. */
export type Authorized = Pick<Payment, 'microUsdc' | 'payee' | 'category' | 'challengeId' | 'credentialSealed'>;

/**
 * The SQL of payments that is the same for every method. Each transition is one statement with its ledger entry. A transition whose
 * guard does not hold writes nothing and returns undefined.
 */
@Injectable()
export class PaymentStore {
  private readonly keys: IdempotencyKeys;
  private readonly lease: Lease;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly ledger: LedgerService,
  ) {
    this.lease = new Lease(database, clock, { table: 'payments', durationMs: config.LEASE_MS });
    this.keys = new IdempotencyKeys(database, {
      table: 'payments',
      column: 'active_idempotency_key',
      scope: ['operator_id'],
      isFree: () => sql`final_at <= ${this.keysFreeBefore()}`,
    });
  }

  /** @throws Error where the payment does not exist. */
  async find(id: string): Promise<Payment> {
    const [row] = await execute(this.database, sql`SELECT * FROM payments WHERE id = ${id}`);
    if (!row) throw new Error(`the payment ${id} does not exist`);
    return this.payment(row);
  }

  /** An operator's payment. */
  async findOf(operatorId: string, id: string): Promise<Payment | undefined> {
    const [row] = await execute(this.database, sql`SELECT * FROM payments WHERE id = ${id} AND operator_id = ${operatorId}`);
    return row && this.payment(row);
  }

  /** The payment that holds the idempotency key: until 24 hours after it became final. */
  async findByKey(operatorId: string, key: string): Promise<Payment | undefined> {
    const row = await this.keys.holder([operatorId], key);
    return row && this.payment(row);
  }

  /** Inserts a payment, unless its idempotency key is in use: then returns the payment that holds it. */
  async insert(payment: Payment): Promise<{ payment: Payment; isNew: boolean }> {
    const insert = async (): Promise<Row | undefined> => {
      const [inserted] = await execute(
        this.database,
        sql`INSERT INTO payments (id, operator_id, account_id, session_id, purse_id, idempotency_key, active_idempotency_key, request_hash,
              mode, max_micro_usdc, provider, request_method, request_url, request_sealed, status, created_at,
              lease_until, reference, metadata)
            VALUES (${payment.id}, ${payment.operatorId}, ${payment.accountId}, ${payment.sessionId}, ${payment.purseId},
                    ${payment.idempotencyKey}, ${payment.idempotencyKey}, ${payment.requestHash}, ${payment.mode},
                    ${payment.maxMicroUsdc.toString()}, ${payment.provider}, ${payment.requestMethod}, ${payment.requestUrl},
                    ${payment.requestSealed}, 'created', ${payment.createdAt}, ${this.lease.end()},
                    ${payment.reference}, ${JSON.stringify(payment.metadata)})
            ON CONFLICT (operator_id, active_idempotency_key) DO NOTHING RETURNING *`,
      );
      return inserted;
    };
    const { row, isNew } = await this.keys.insertOnce([payment.operatorId], payment.idempotencyKey, insert);
    return { payment: this.payment(row), isNew };
  }

  /** Takes a payment that failed, or lacked balance, up again under its id. Undefined where another request did meanwhile. */
  rerun({ id, finalAt }: Payment): Promise<Payment | undefined> {
    return this.run(
      sql`UPDATE payments SET ${enter(T.rerun)}, rejection_reason = NULL, violation = NULL, failure = NULL, final_at = NULL,
                 lease_until = ${this.lease.end()}
          WHERE id = ${id} AND ${leave(T.rerun)} AND final_at = ${finalAt}
            AND (status = 'failed' OR rejection_reason = 'insufficient_balance') RETURNING *`,
    );
  }

  /** The provider asked for nothing. */
  free({ id }: Payment, answer: KeptAnswer): Promise<Payment | undefined> {
    return this.run(this.update(T.free, id, sql`${answerColumns(answer)}, final_at = ${this.clock.now()}`));
  }

  /** Declined before a credential was stored. */
  decline(payment: Payment, violation: StoredViolation): Promise<Payment | undefined> {
    return this.reject(payment, T.decline, violation, null);
  }

  /** No credential was stored, and no rule is in the way. */
  fail({ id }: Payment, failure: PaymentFailure): Promise<Payment | undefined> {
    return this.run(this.update(T.fail, id, sql`failure = ${JSON.stringify(failure)}, final_at = ${this.clock.now()}`));
  }

  /** Rejects a payment: with the provider's answer where it refused the credential, and with a change of the method's own table. */
  reject(
    payment: Payment,
    transition: Transition<PaymentStatus>,
    violation: StoredViolation,
    answer: KeptAnswer | null,
    companion?: Sql,
  ): Promise<Payment | undefined> {
    const { id, accountId, microUsdc, payee, provider, category, sessionId } = payment;
    const set = sql`rejection_reason = ${violation.rule}, violation = ${JSON.stringify(violation)}, final_at = ${this.clock.now()},
      ${answerColumns(answer)}, micro_usdc = ${microUsdc.toString()}, payee = ${payee}, category = ${category}`;
    const entry = {
      accountId,
      type: 'rejection' as const,
      direction: 'out' as const,
      microUsdc,
      counterparty: payee ?? provider,
      category,
      paymentId: id,
      provider,
      sessionId,
      ...referenceOf(payment),
      rejectionReason: violation.rule,
    };
    return this.run(this.update(transition, id, set), { entries: this.ledger.rows([entry]), companion });
  }

  /** The receipt that the agent got from the provider that it called itself. */
  async noteReceipt({ id }: Payment, receipt: string): Promise<Payment | undefined> {
    return this.run(
      sql`UPDATE payments SET receipt = ${receipt}, status = CASE WHEN ${leave(T.noteReceipt)} THEN 'paid' ELSE status END
          WHERE id = ${id} AND status IN ('paid', 'paid_unreceipted', 'unknown') RETURNING *`,
    );
  }

  /** The credential is about to be sent a second time. Undefined where it was sent twice before. */
  markResent({ id }: Payment): Promise<Payment | undefined> {
    return this.run(sql`UPDATE payments SET resent = true WHERE id = ${id} AND status = 'unknown' AND NOT resent RETURNING *`);
  }

  /** Stores the session that a payment opened for itself. */
  async attach(id: string, sessionId: string): Promise<void> {
    await execute(this.database, sql`UPDATE payments SET session_id = ${sessionId} WHERE id = ${id}`);
  }

  /** When a lease ends that begins now. */
  leaseEnd(): Date {
    return this.lease.end();
  }

  /** Claims payments whose lease has ended. */
  async claimOverdue(limit: number): Promise<Payment[]> {
    return (await this.lease.claim({ where: IS_UNRESOLVED, limit })).map((row) => this.payment(row));
  }

  /** Renews the leases of payments that this process works on. */
  renewLeases(ids: string[]): Promise<void> {
    return this.lease.renew(ids);
  }

  /** Ends the lease of a payment now, or in `inMs` milliseconds: recovery takes it up. */
  release(id: string, inMs = 0): Promise<void> {
    return this.lease.release(id, { inMs });
  }

  /** Deletes requests and answers that were kept for a day. Returns how many. */
  async forget(limit: number): Promise<number> {
    const before = new Date(this.clock.now().getTime() - KEPT_MS);
    const rows = await execute(
      this.database,
      sql`UPDATE payments SET response_body = NULL, response_headers = NULL, response_status = NULL, request_sealed = NULL WHERE id IN (
            SELECT id FROM payments WHERE (response_body IS NOT NULL OR request_sealed IS NOT NULL) AND final_at <= ${before}
              LIMIT ${limit}) RETURNING id`,
    );
    return rows.length;
  }

  private keysFreeBefore(): Date {
    return new Date(this.clock.now().getTime() - this.config.IDEMPOTENCY_TTL_SECONDS * 1000);
  }

  private update(transition: Transition<PaymentStatus>, id: string, set: Sql): Sql {
    return sql`UPDATE payments SET ${enter(transition)}, ${set} WHERE id = ${id} AND ${leave(transition)} RETURNING *`;
  }

  private async run(change: Sql, effects?: Parameters<typeof runTransition>[2]): Promise<Payment | undefined> {
    const row = await runTransition(this.database, change, effects);
    return row && this.payment(row);
  }

  private payment(row: Row): Payment {
    return hydrate(this.database, Payment, row);
  }
}

/** Locks a payment before what pays it, as the query `payable`: one order of locks. None where the guard does not hold. */
export function payable(id: string, guard: Sql): Sql {
  return sql`payable AS (SELECT id, micro_usdc FROM payments WHERE id = ${id} AND ${guard} FOR NO KEY UPDATE)`;
}

/** Assigns the columns of a provider's answer. */
export function answerColumns(answer: KeptAnswer | null): Sql {
  return sql`response_status = ${answer?.status ?? null}, response_headers = ${answer && JSON.stringify(answer.headers)},
    response_body = ${answer?.body ?? null}, response_truncated = ${answer?.truncated ?? false}`;
}
