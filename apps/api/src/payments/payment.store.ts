import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { empty, execute, hydrate, type Row, type Sql, sql, words } from '#database';
import { OutboxService } from '../events';
import { referenceMembers, referenceOf } from '../lists/references';
import { LedgerService, type NewLedgerEntry } from '../ledger';
import { formatUsdc } from '../money/usdc';
import type { StoredViolation } from '../orders';
import { IdempotencyKeys, IF_DECLINED } from '../persistence/idempotency';
import { Lease } from '../persistence/lease';
import { enter, leave, runTransition, type Transition, type TransitionEffects } from '../persistence/transition';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';
import { Payment, type PaymentFailure, type SealedAnswer } from './payment.entity';
import { PAYMENT_TRANSITIONS, type PaymentStatus, UNRESOLVED_PAYMENTS } from './payment.states';

const T = PAYMENT_TRANSITIONS;
/** The request that a key is looked up for. */
type Keyed = Pick<Payment, 'operatorId' | 'accountId' | 'idempotencyKey'>;
const IS_UNRESOLVED = sql`status IN (${words(UNRESOLVED_PAYMENTS)})`;

/** The payment of a stored credential. */
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
    private readonly outbox: OutboxService,
  ) {
    this.lease = new Lease(database, clock, { table: 'payments', durationMs: config.LEASE_MS });
    this.keys = new IdempotencyKeys(database, {
      table: 'payments',
      column: 'active_idempotency_key',
      scope: ['operator_id'],
      isFree: () => sql`final_at <= ${this.keysFreeBefore()}`,
      ofAccount: IF_DECLINED,
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

  /** The payment that holds the key of a request against its account: until 24 hours after it became final. */
  async findByKey({ operatorId, accountId, idempotencyKey }: Keyed): Promise<Payment | undefined> {
    const row = await this.keys.holder([operatorId], idempotencyKey, accountId);
    return row && this.payment(row);
  }

  /**
   * Inserts a payment with the sealed evidence of its request, unless its idempotency key is in use: then returns the payment that holds it.
   */
  async insert(payment: Payment, requestEvidence: string | null = null): Promise<{ payment: Payment; isNew: boolean }> {
    const insert = async (): Promise<Row | undefined> => {
      const [inserted] = await execute(
        this.database,
        sql`INSERT INTO payments (id, operator_id, account_id, session_id, purse_id, idempotency_key, active_idempotency_key, request_hash,
              mode, max_micro_usdc, provider, request_method, request_url, request_sealed, status, created_at,
              lease_until, reference, metadata, request_evidence_sealed)
            VALUES (${payment.id}, ${payment.operatorId}, ${payment.accountId}, ${payment.sessionId}, ${payment.purseId},
                    ${payment.idempotencyKey}, ${payment.idempotencyKey}, ${payment.requestHash}, ${payment.mode},
                    ${payment.maxMicroUsdc.toString()}, ${payment.provider}, ${payment.requestMethod}, ${payment.requestUrl},
                    ${payment.requestSealed}, 'created', ${payment.createdAt}, ${this.lease.end()},
                    ${payment.reference}, ${JSON.stringify(payment.metadata)}, ${requestEvidence})
            ON CONFLICT (operator_id, active_idempotency_key) DO NOTHING RETURNING *`,
      );
      return inserted;
    };
    const { row, isNew } = await this.keys.insertOnce([payment.operatorId], payment.idempotencyKey, insert, payment.accountId);
    return { payment: this.payment(row), isNew };
  }

  /** Whether a payment holds its key, or may hold it again: another account may have taken it from a payment that was declined. */
  hasKey(payment: Payment): Promise<boolean> {
    return this.keys.mayHold([payment.operatorId], payment);
  }

  /** Takes a payment that failed, or lacked balance, up again under its id and its key. Undefined where another request did meanwhile. */
  async rerun(payment: Payment): Promise<Payment | undefined> {
    const { id, finalAt } = payment;
    await this.keys.releaseFor([payment.operatorId], payment);
    return this.run(
      sql`UPDATE payments SET ${enter(T.rerun)}, rejection_reason = NULL, violation = NULL, failure = NULL, final_at = NULL,
                 active_idempotency_key = idempotency_key, lease_until = ${this.lease.end()}
          WHERE id = ${id} AND ${leave(T.rerun)} AND final_at = ${finalAt}
            AND (status = 'failed' OR rejection_reason = 'insufficient_balance') RETURNING *`,
    );
  }

  /** The provider asked for nothing. */
  free({ id }: Payment, answer: SealedAnswer): Promise<Payment | undefined> {
    return this.run(this.update(T.free, id, sql`${answerColumns(answer)}, request_sealed = NULL, final_at = ${this.clock.now()}`));
  }

  /** Declined before a credential was stored. */
  decline(payment: Payment, violation: StoredViolation): Promise<Payment | undefined> {
    return this.reject(payment, T.decline, violation, null);
  }

  /** No credential was stored, and no rule is in the way. */
  fail({ id }: Payment, failure: PaymentFailure): Promise<Payment | undefined> {
    return this.run(this.update(T.fail, id, sql`failure = ${JSON.stringify(failure)}, final_at = ${this.clock.now()}`));
  }

  /**
   * Rejects a payment: with the provider's answer where it refused the credential, unless that is stored already, and with changes of
   * the method's own tables.
   */
  reject(
    payment: Payment,
    transition: Transition<PaymentStatus>,
    violation: StoredViolation,
    answer: SealedAnswer | null,
    companion?: TransitionEffects['companion'],
  ): Promise<Payment | undefined> {
    const { set, entry } = this.rejection(payment, violation, answer);
    return this.run(this.update(transition, payment.id, set), { entries: this.ledger.rows([entry]), companion });
  }

  /** Columns that a rejection sets, and its ledger entry. */
  rejection(payment: Payment, violation: StoredViolation, answer: SealedAnswer | null = null): { set: Sql; entry: NewLedgerEntry } {
    const { id, accountId, microUsdc, payee, provider, category, sessionId } = payment;
    const set = sql`rejection_reason = ${violation.rule}, violation = ${JSON.stringify(violation)}, final_at = ${this.clock.now()},
      ${answer ? sql`${answerColumns(answer)},` : empty} micro_usdc = ${microUsdc.toString()}, payee = ${payee}, category = ${category}`;
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
    return { set, entry };
  }

  /** The receipt that the agent got from the provider that it called itself. */
  async noteReceipt({ id }: Payment, receipt: string): Promise<Payment | undefined> {
    return this.run(
      sql`UPDATE payments SET receipt = ${receipt}, status = CASE WHEN ${leave(T.noteReceipt)} THEN 'paid' ELSE status END
          WHERE id = ${id} AND status IN ('paid', 'paid_unreceipted', 'unknown') RETURNING *`,
    );
  }

  /** Payments that a seller's transaction by a delegate paid, in the order of their settlement. */
  async landedBetween(from: Date, to: Date, limit: number): Promise<Payment[]> {
    const rows = await execute(
      this.database,
      sql`SELECT * FROM payments WHERE status IN ('paid', 'paid_unreceipted') AND method NOT IN ('transfer', 'channel')
            AND signature IS NOT NULL AND final_at >= ${from}
            AND final_at <= ${to} ORDER BY final_at LIMIT ${limit}`,
    );
    return rows.map((row) => this.payment(row));
  }

  /**
   * The transaction that paid is not on the chain any more: the outcome is unknown again, and the record is removed. `before`: a change of
   * what paid it, guarded by `paidBy`; `from` names it if it locks the payment, so that it runs first.
   */
  reverse(payment: Payment, { before, from = empty }: { before: Sql; from?: Sql }): Promise<Payment | undefined> {
    const { id, operatorId, accountId, microUsdc, signature } = payment;
    const now = this.clock.now();
    const data = {
      transfer_id: id,
      account_id: accountId,
      amount_usdc: formatUsdc(microUsdc),
      tx_signature: signature ?? '',
      ...referenceMembers(payment),
    };
    return this.run(
      sql`UPDATE payments SET ${enter(T.reverse)}, signature = NULL, landed_slot = NULL, final_at = NULL, reversed_at = ${now}, lease_until = ${now}
          ${from} WHERE payments.id = ${id} AND ${paidBy(payment)} RETURNING payments.*`,
      {
        before,
        event: this.outbox.row({ operatorId, accountId, type: 'transfer.reversed', data }),
        companion: this.ledger.removalOfPayment(),
      },
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

  /** The payment that a delegate paid: out of a purse by the signature of its transfer, by a charge with the charge's own key. */
  async idByDelegate(accountId: string, { key, signature }: { key: string; signature: string | null }): Promise<string | undefined> {
    const [row] = await execute(
      this.database,
      sql`(SELECT id FROM payments WHERE delegate_signature = ${signature})
          UNION ALL (SELECT id FROM payments WHERE account_id = ${accountId} AND delegate_key = ${key} ORDER BY id DESC LIMIT 1) LIMIT 1`,
    );
    return row && String(row.id);
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

/** The guard of a reversal: the payment is still paid by the transaction that was looked for. */
export function paidBy({ signature }: Pick<Payment, 'signature'>): Sql {
  return sql`${leave(T.reverse)} AND signature = ${signature}`;
}

/** Assigns the columns of a provider's answer. */
export function answerColumns(answer: SealedAnswer | null): Sql {
  return sql`response_status = ${answer?.status ?? null}, response_sealed = ${answer?.sealed ?? null},
    response_bytes = ${answer?.bytes ?? null}, response_truncated = ${answer?.truncated ?? false}, answer_evidence_sealed = ${answer?.evidence ?? null}`;
}
