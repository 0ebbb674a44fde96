import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { empty, execute, hydrate, type Row, SharedStatements, type Sql, sql, words } from '#database';
import { OutboxService } from '../events';
import { referenceMembers, referenceOf } from '../lists/references';
import { LedgerService, type NewLedgerEntry } from '../ledger';
import { formatUsdc } from '../money/usdc';
import type { StoredViolation } from '../orders';
import { Lease } from '../persistence/lease';
import { enter, leave, runTransition, type Transition, type TransitionEffects } from '../persistence/transition';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';
import { Payment, type PaymentFailure, type SealedAnswer } from './payment.entity';
import { answerColumns, paidBy } from './payment.sql';
import { PAYMENT_TRANSITIONS, type PaymentStatus, UNRESOLVED_PAYMENTS } from './payment.states';

const T = PAYMENT_TRANSITIONS;
const IS_UNRESOLVED = sql`status IN (${words(UNRESOLVED_PAYMENTS)})`;

/** The payment of a stored credential. */
export type Authorized = Pick<Payment, 'microUsdc' | 'payee' | 'category' | 'challengeId' | 'credentialSealed'>;

/**
 * The SQL of payments that is the same for every method. Each transition is one statement with its ledger entry. A transition whose
 * guard does not hold writes nothing and returns undefined.
 */
@Injectable()
export class PaymentStore {
  private readonly lease: Lease;
  /** The steps that every payment takes: payments that are at the same step share its statement's transaction. */
  private readonly authorizations: SharedStatements;
  private readonly outcomes: SharedStatements;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly ledger: LedgerService,
    private readonly outbox: OutboxService,
    config: Config,
  ) {
    this.lease = new Lease(database, clock, { table: 'payments', durationMs: config.LEASE_MS });
    this.authorizations = new SharedStatements(database);
    this.outcomes = new SharedStatements(database);
  }

  /** @throws Error if the payment does not exist. */
  async find(id: string): Promise<Payment> {
    const [payment] = await this.read(sql`SELECT * FROM payments WHERE id = ${id}`);
    if (!payment) throw new Error(`the payment ${id} does not exist`);
    return payment;
  }

  /** An operator's payment. */
  async findOf(operatorId: string, id: string): Promise<Payment | undefined> {
    const [payment] = await this.read(sql`SELECT * FROM payments WHERE id = ${id} AND operator_id = ${operatorId}`);
    return payment;
  }

  /** The provider asked for nothing. */
  free(payment: Payment, answer: SealedAnswer): Promise<Payment | undefined> {
    const set = sql`${answerColumns(answer)}, request_sealed = NULL, final_at = ${this.clock.now()}`;
    return this.transition(payment, this.update(T.free, payment.id, set));
  }

  /** Declined before a credential was stored. */
  decline(payment: Payment, violation: StoredViolation): Promise<Payment | undefined> {
    return this.reject(payment, T.decline, violation, null);
  }

  /** No credential was stored, and no rule is in the way. */
  fail(payment: Payment, failure: PaymentFailure): Promise<Payment | undefined> {
    const set = sql`failure = ${JSON.stringify(failure)}, final_at = ${this.clock.now()}`;
    return this.transition(payment, this.update(T.fail, payment.id, set));
  }

  /**
   * Rejects a payment: with the provider's answer if it refused the credential, unless that is stored already, and with changes of
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
    return this.transition(payment, this.update(transition, payment.id, set), { entries: this.ledger.rows([entry]), companion });
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

  /** Stores the provider's answer before the chain shows the outcome. */
  keepAnswer(payment: Payment, answer: SealedAnswer, receipt: string | null): Promise<Payment | undefined> {
    return this.transition(
      payment,
      sql`UPDATE payments SET ${answerColumns(answer)}, receipt = COALESCE(${receipt}, receipt)
          WHERE id = ${payment.id} AND status = 'unknown' RETURNING *`,
    );
  }

  /** The receipt that the agent got from the provider that it called itself. */
  async noteReceipt(payment: Payment, receipt: string): Promise<Payment | undefined> {
    return this.transition(
      payment,
      sql`UPDATE payments SET receipt = ${receipt}, status = CASE WHEN ${leave(T.noteReceipt)} THEN 'paid' ELSE status END
          WHERE id = ${payment.id} AND status IN ('paid', 'paid_unreceipted', 'unknown') RETURNING *`,
    );
  }

  /** Payments that a seller's transaction by a delegate paid, in the order of their settlement. */
  landedBetween(from: Date, to: Date, limit: number): Promise<Payment[]> {
    return this.read(
      sql`SELECT * FROM payments WHERE status IN ('paid', 'paid_unreceipted') AND method NOT IN ('transfer', 'channel')
            AND signature IS NOT NULL AND final_at >= ${from}
            AND final_at <= ${to} ORDER BY final_at LIMIT ${limit}`,
    );
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
    return this.transition(
      payment,
      sql`UPDATE payments SET ${enter(T.reverse)}, signature = NULL, landed_slot = NULL, final_at = NULL, reversed_at = ${now}, lease_until = ${now}
          ${from} WHERE payments.id = ${id} AND ${paidBy(payment)} RETURNING payments.*`,
      {
        before,
        event: this.outbox.row({ operatorId, accountId, type: 'transfer.reversed', data }),
        companion: this.ledger.removalOfPayment(),
      },
    );
  }

  /** The credential is about to be sent a second time. Undefined if it was sent twice before. */
  markResent(payment: Payment): Promise<Payment | undefined> {
    return this.transition(
      payment,
      sql`UPDATE payments SET resent = true WHERE id = ${payment.id} AND status = 'unknown' AND NOT resent RETURNING *`,
    );
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

  /** Columns that a stored credential sets: the outcome of the payment is unknown from now on. */
  credentialColumns({ microUsdc, payee, category, challengeId, credentialSealed }: Authorized): Sql {
    return sql`${enter(T.authorize)}, micro_usdc = ${microUsdc.toString()}, payee = ${payee}, category = ${category},
      challenge_id = ${challengeId}, credential_sealed = ${credentialSealed}, sent_at = ${this.clock.now()}, lease_until = ${this.leaseEnd()}`;
  }

  /** Runs the transition that stores a credential, as `transition` does. */
  async authorize(payment: Payment, change: Sql, effects?: TransitionEffects): Promise<Payment | undefined> {
    const row = await this.authorizedRow(payment, change, effects);
    return row && this.payment(row);
  }

  /** Runs any other transition of a payment, with its effects. Undefined if its guard does not hold. */
  async transition(payment: Payment, change: Sql, effects?: TransitionEffects): Promise<Payment | undefined> {
    const row = await this.movedRow(payment, change, effects);
    return row && this.payment(row);
  }

  /** Like `authorize`, for a statement that returns less than the whole payment. */
  authorizedRow({ accountId }: Payment, change: Sql, effects?: TransitionEffects): Promise<Row | undefined> {
    return runTransition((statement) => this.authorizations.execute(statement, accountId), change, effects);
  }

  /** Like `transition`, for a statement that returns less than the whole payment. */
  movedRow({ accountId }: Payment, change: Sql, effects?: TransitionEffects): Promise<Row | undefined> {
    return runTransition((statement) => this.outcomes.execute(statement, accountId), change, effects);
  }

  /** The payments that a statement returns. */
  async read(statement: Sql): Promise<Payment[]> {
    return (await execute(this.database, statement)).map((row) => this.payment(row));
  }

  private payment(row: Row): Payment {
    return hydrate(this.database, Payment, row);
  }

  private update(transition: Transition<PaymentStatus>, id: string, set: Sql): Sql {
    return sql`UPDATE payments SET ${enter(transition)}, ${set} WHERE id = ${id} AND ${leave(transition)} RETURNING *`;
  }
}
