import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { BuiltPayment } from '#chain';
import { hydrate, runPrepared } from '#database';
import { LedgerService, type NewLedgerEntry } from '../ledger';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';
import { formatUsdc } from '../money/usdc';
import type { Order, StoredViolation } from '../orders';
import { type EventToRecord, OutboxService } from '../events';
import { tellPaid } from './methods/charge-payments';
import { Payment, type PaymentFailure } from './payment.entity';
import { Session } from '../sessions';

/** A key that expires under our hands is freed, and the insert tried again. */
const MAX_INSERTS = 3;
/** Answers of providers, and requests, are kept for so long. */
const KEPT_MS = 24 * 60 * 60_000;

const LEAVE_TURN = 'DELETE FROM open_charges USING moved WHERE open_charges.payment_id = moved.id RETURNING 1';

/** A provider's answer, as it is kept. */
export interface KeptAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  truncated: boolean;
}

/** A promise that is about to be sent. */
export interface Promised {
  cumulative: bigint;
  signature: Uint8Array;
}

/** What was made of a challenge. */
export type Met = Pick<Payment, 'microUsdc' | 'payee' | 'category' | 'challengeId' | 'credentialSealed'>;

/** What a change of a payment comes with, in the same statement. */
interface With {
  /** A `WITH` query before it, which it may name. */
  first?: string;
  /** A change beside it, which may name the payment as `moved`. */
  also?: (parameter: (value: unknown) => string) => string;
  /** Lines of history. */
  lines?: NewLedgerEntry[];
  event?: EventToRecord;
}

/**
 * Every change of a payment, with what it does to its session, its events and its line of history: one SQL statement each. A
 * change that finds another state than it expects does nothing and returns undefined.
 */
@Injectable()
export class PaymentStore {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly outbox: OutboxService,
    private readonly ledger: LedgerService,
  ) {}

  async find(id: string): Promise<Payment> {
    const [payment] = await this.select('id = $1', [id]);
    if (!payment) throw new Error(`the payment ${id} is gone`);
    return payment;
  }

  select(condition: string, values: unknown[]): Promise<Payment[]> {
    return this.rows(`SELECT * FROM payments WHERE ${condition}`, values);
  }

  /** The payment that has this key taken now: until 24 hours after it became final. */
  async findByKey(operatorId: string, key: string): Promise<Payment | undefined> {
    const [payment] = await this.select('operator_id = $1 AND live_key = $2 AND (final_at IS NULL OR final_at > $3)', [
      operatorId,
      key,
      this.keysFreeBefore(),
    ]);
    return payment;
  }

  /** Inserts a payment, unless its key is taken: then the one that has it. */
  async insert(payment: Payment): Promise<{ payment: Payment; isNew: boolean }> {
    for (let tries = 0; tries < MAX_INSERTS; tries++) {
      const [inserted] = await this.rows(
        `INSERT INTO payments (id, operator_id, account_id, session_id, idempotency_key, live_key, request_hash, mode, max_micro_usdc, provider, request_sealed, status, created_at, lease_until)
         VALUES ($1, $2, $3, $4, $5, $5, $6, $7, $8, $9, $10, 'created', $11, $12) ON CONFLICT (operator_id, live_key) DO NOTHING RETURNING *`,
        [
          payment.id,
          payment.operatorId,
          payment.accountId,
          payment.sessionId,
          payment.idempotencyKey,
          payment.requestHash,
          payment.mode,
          payment.maxMicroUsdc.toString(),
          payment.provider,
          payment.requestSealed,
          payment.createdAt,
          this.lease(),
        ],
      );
      if (inserted) return { payment: inserted, isNew: true };
      const holder = await this.findByKey(payment.operatorId, payment.idempotencyKey);
      if (holder) return { payment: holder, isNew: false };
      await this.rows('UPDATE payments SET live_key = NULL WHERE operator_id = $1 AND live_key = $2 AND final_at <= $3', [
        payment.operatorId,
        payment.idempotencyKey,
        this.keysFreeBefore(),
      ]);
    }
    throw new Error(`the idempotency key of ${payment.id} is taken and free at the same time`);
  }

  /** Takes a payment that failed, or lacked balance, up again under its id. Undefined when somebody else did meanwhile. */
  async rerun({ id, finalAt }: Payment): Promise<Payment | undefined> {
    const [payment] = await this.rows(
      `UPDATE payments SET status = 'created', rejection_reason = NULL, refusal = NULL, failure = NULL, final_at = NULL, lease_until = $2
       WHERE id = $1 AND final_at = $3 AND (status = 'failed' OR (status = 'rejected' AND rejection_reason = 'insufficient_balance')) RETURNING *`,
      [id, this.lease(), finalAt],
    );
    return payment;
  }

  /** The session that the payment opened for itself. */
  async attach(id: string, sessionId: string): Promise<void> {
    await this.rows('UPDATE payments SET session_id = $2 WHERE id = $1', [id, sessionId]);
  }

  // ---- a session's turn

  /**
   * Keeps the signed voucher, in the payment and in the session, before it is sent, and takes the session: no other payment
   * signs until this one has its answer. Undefined while another has it, and when it is not as it was read: not open any more, or of another accepted sum.
   */
  async promise(payment: Payment, session: Session, met: Met, { cumulative, signature }: Promised): Promise<Payment | undefined> {
    const { id } = payment;
    const sentAt = this.clock.now();
    const isWritten = await this.changed(
      `UPDATE payments SET status = 'unknown', micro_usdc = $2, payee = $3, category = $4, challenge_id = $5, credential_sealed = $6, cumulative_micro_usdc = $7::bigint, sent_at = $8, lease_until = $9
       FROM free WHERE payments.id = $1 AND status = 'created' AND session_id = free.id RETURNING payments.id, session_id`,
      [
        id,
        met.microUsdc.toString(),
        met.payee,
        met.category,
        met.challengeId,
        met.credentialSealed,
        cumulative.toString(),
        sentAt,
        this.lease(),
        session.id,
        session.acceptedMicroUsdc.toString(),
      ],
      {
        first: `free AS (SELECT id FROM sessions WHERE id = $10 AND state = 'open' AND paying IS NULL AND accepted_micro_usdc = $11::bigint AND cap_micro_usdc >= $7::bigint FOR NO KEY UPDATE)`,
        also: (parameter) =>
          `UPDATE sessions SET paying = $1, signed_micro_usdc = GREATEST(signed_micro_usdc, $7::bigint), voucher_micro_usdc = $7::bigint, voucher_signature = ${parameter(Buffer.from(signature))}
           FROM moved WHERE sessions.id = moved.session_id RETURNING 1`,
      },
    );
    return isWritten
      ? Object.assign(payment, met, { status: 'unknown', sessionId: session.id, cumulativeMicroUsdc: cumulative, sentAt })
      : undefined;
  }

  /**
   * The provider took the voucher, or has it and must be taken to have taken it: it counts. The warning at 80 percent and the
   * cap's end are told once a cap.
   */
  async accept(
    payment: Payment,
    status: 'paid' | 'paid_unreceipted',
    answer: KeptAnswer | null,
    receipt: string | null,
  ): Promise<Payment | undefined> {
    const now = this.clock.now();
    const { id, operatorId, accountId, sessionId, cumulativeMicroUsdc } = payment;
    const told = (type: 'session.cap_warning' | 'session.cap_reached') =>
      JSON.stringify(
        this.outbox.row({
          operatorId,
          accountId,
          type,
          data: {
            session_id: sessionId ?? '',
            account_id: accountId,
            running_total_usdc: formatUsdc(cumulativeMicroUsdc ?? 0n),
            cap_usdc: '',
          },
        }),
      );
    const [row] = await runPrepared(
      this.database,
      `WITH before AS (SELECT * FROM sessions WHERE id = $9 FOR NO KEY UPDATE),
            moved AS (UPDATE payments SET status = $2, receipt = $3, response_status = $4, response_headers = $5, response_body = $6, response_truncated = $7, final_at = $8 WHERE id = $1 AND status = 'unknown' RETURNING session_id),
            taken AS (
              UPDATE sessions SET accepted_micro_usdc = GREATEST(sessions.accepted_micro_usdc, $10::bigint), used_at = $8, paying = CASE WHEN sessions.paying = $1 THEN NULL ELSE sessions.paying END,
                     unsettled_since = COALESCE(sessions.unsettled_since, $8),
                     cap_warned = sessions.cap_warned OR $10::bigint * 100 > sessions.cap_micro_usdc * 80, cap_reached = sessions.cap_reached OR $10::bigint >= sessions.cap_micro_usdc
              FROM moved, before WHERE sessions.id = moved.session_id RETURNING sessions.cap_micro_usdc, sessions.cap_warned AND NOT before.cap_warned AS warns, sessions.cap_reached AND NOT before.cap_reached AS reaches),
            told AS (SELECT record_event(jsonb_set(event, '{data,cap_usdc}', to_jsonb(trim(to_char(cap_micro_usdc::numeric / 1000000, 'FM999999999999990.000000')))))
                     FROM taken, LATERAL (VALUES (warns, $11::jsonb), (reaches, $12::jsonb)) AS news (is_due, event) WHERE is_due)
       SELECT (SELECT count(*) FROM told) FROM moved`,
      [
        id,
        status,
        receipt,
        answer?.status ?? null,
        answer ? JSON.stringify(answer.headers) : null,
        answer?.body ?? null,
        answer?.truncated ?? false,
        now,
        sessionId,
        (cumulativeMicroUsdc ?? 0n).toString(),
        told('session.cap_warning'),
        told('session.cap_reached'),
      ],
    );
    const kept = {
      responseStatus: answer?.status ?? null,
      responseHeaders: answer?.headers ?? null,
      responseBody: answer?.body ?? null,
      responseTruncated: answer?.truncated ?? false,
    };
    return row && Object.assign(payment, kept, { status, receipt, finalAt: now });
  }

  /** The provider refused the voucher: the next one builds on what it took before, which is what its signature proves again. */
  refuse(payment: Payment, refusal: StoredViolation, answer: KeptAnswer, before: Promised): Promise<Payment | undefined> {
    return this.reject(payment, refusal, `'unknown'`, answer, (parameter) => {
      const signature = before.cumulative === 0n ? null : Buffer.from(before.signature);
      return `UPDATE sessions SET paying = CASE WHEN sessions.paying = moved.id THEN NULL ELSE sessions.paying END, voucher_micro_usdc = ${parameter(before.cumulative.toString())}, voucher_signature = ${parameter(signature)}
              FROM moved WHERE sessions.id = moved.session_id RETURNING 1`;
    });
  }

  /** The cap leaves no room for a payment: told once a cap. */
  async reachCap(session: Session): Promise<void> {
    const { operatorId, accountId, id } = session;
    const data = {
      session_id: id,
      account_id: accountId,
      running_total_usdc: formatUsdc(session.acceptedMicroUsdc),
      cap_usdc: formatUsdc(session.capMicroUsdc),
    };
    await this.rows(
      `WITH reached AS (UPDATE sessions SET cap_reached = true WHERE id = $1 AND NOT cap_reached AND cap_micro_usdc = $2 AND state = 'open' RETURNING id)
       SELECT record_event($3::jsonb) FROM reached`,
      [id, session.capMicroUsdc.toString(), JSON.stringify(this.outbox.row({ operatorId, accountId, type: 'session.cap_reached', data }))],
    );
  }

  // ---- a charge's turn

  /** Takes the account's turn for a payment of which nothing was promised, and keeps the key of its charge. Undefined while another has it. */
  async beginCharge({ id }: Payment, delegate: { key: string; sealed: string }): Promise<Payment | undefined> {
    const [payment] = await this.rows(
      `WITH turn AS (INSERT INTO open_charges (account_id, payment_id, taken_at)
              SELECT account_id, id, $4 FROM payments WHERE id = $1 AND status = 'created' FOR UPDATE ON CONFLICT DO NOTHING RETURNING payment_id)
       UPDATE payments SET delegate_key = $2, delegate_key_sealed = $3 FROM turn WHERE payments.id = turn.payment_id RETURNING payments.*`,
      [id, delegate.key, delegate.sealed, this.clock.now()],
    );
    return payment;
  }

  /** Keeps the credential of a charge, and how its landing will be known, before it is sent. */
  promiseCharge(
    { id }: Payment,
    met: Met,
    { signature, lastValidBlockHeight }: Pick<BuiltPayment, 'signature' | 'lastValidBlockHeight'>,
  ): Promise<Payment | undefined> {
    return this.change(
      `UPDATE payments SET status = 'unknown', micro_usdc = $2, payee = $3, category = $4, challenge_id = $5, credential_sealed = $6, transaction_signature = $7, last_valid_block_height = $8,
              sent_at = $9, lease_until = $10
       WHERE id = $1 AND status = 'created' AND EXISTS (SELECT 1 FROM open_charges WHERE payment_id = payments.id) RETURNING *`,
      [
        id,
        met.microUsdc.toString(),
        met.payee,
        met.category,
        met.challengeId,
        met.credentialSealed,
        signature,
        lastValidBlockHeight,
        this.clock.now(),
        this.lease(),
      ],
    );
  }

  /** What the provider said, before the chain has said what became of the charge. */
  keepAnswer({ id }: Payment, answer: KeptAnswer, receipt: string | null): Promise<Payment | undefined> {
    return this.change(
      `UPDATE payments SET response_status = $2, response_headers = $3, response_body = $4, response_truncated = $5, receipt = COALESCE($6, receipt) WHERE id = $1 AND status = 'unknown' RETURNING *`,
      [id, answer.status, JSON.stringify(answer.headers), answer.body, answer.truncated, receipt],
    );
  }

  /** The chain says that a charge was paid, whatever was written down here. `isTold`: the history has its line already. */
  settleCharge(
    { id }: Payment,
    order: Order,
    { signature, spent, isTold }: { signature: string; spent: bigint; isTold: boolean },
  ): Promise<Payment | undefined> {
    const settledAt = this.clock.now();
    return this.change(
      `UPDATE payments SET status = CASE WHEN receipt IS NULL THEN 'paid_unreceipted' ELSE 'paid' END, signature = $2, micro_usdc = $3, payee = $4, category = $5, final_at = $6, failure = NULL
       WHERE id = $1 AND status IN ('created', 'unknown', 'failed') RETURNING *`,
      [id, signature, spent.toString(), order.recipient, order.category, settledAt],
      { also: () => LEAVE_TURN, ...(!isTold && tellPaid(order, { transferId: id, microUsdc: spent, signature, settledAt })) },
    );
  }

  /** The chain says that a charge was not paid, and can never be. */
  refuseCharge(payment: Payment, refusal: StoredViolation): Promise<Payment | undefined> {
    const { responseStatus: status, responseHeaders: headers, responseBody: body, responseTruncated: truncated } = payment;
    const answer = status === null ? null : { status, headers: headers ?? {}, body: body ?? Buffer.alloc(0), truncated };
    return this.reject(payment, refusal, `'unknown'`, answer, () => LEAVE_TURN);
  }

  /** The charge of a payment is over, or never was: the next one's turn. */
  async endCharge({ id }: Payment): Promise<void> {
    await runPrepared(this.database, 'DELETE FROM open_charges WHERE payment_id = $1', [id]);
  }

  /** Payments that are final, while their charges are not known to be over. */
  withLeftCharges(limit: number): Promise<Payment[]> {
    return this.rows(
      'SELECT payments.* FROM open_charges JOIN payments ON payments.id = open_charges.payment_id WHERE payments.final_at IS NOT NULL ORDER BY taken_at LIMIT $1',
      [limit],
    );
  }

  // ---- other ends

  /** The provider asked for nothing. */
  free({ id }: Payment, answer: KeptAnswer): Promise<Payment | undefined> {
    return this.change(
      `UPDATE payments SET status = 'free', response_status = $2, response_headers = $3, response_body = $4, response_truncated = $5, final_at = $6 WHERE id = $1 AND status = 'created' RETURNING *`,
      [id, answer.status, JSON.stringify(answer.headers), answer.body, answer.truncated, this.clock.now()],
    );
  }

  /** Declined before anything was promised. */
  decline(payment: Payment, refusal: StoredViolation): Promise<Payment | undefined> {
    return this.reject(payment, refusal, `'created'`, null);
  }

  /** Nothing was promised, and no rule is in the way. */
  fail({ id }: Payment, failure: PaymentFailure): Promise<Payment | undefined> {
    return this.change(
      `UPDATE payments SET status = 'failed', failure = $2, final_at = $3 WHERE id = $1 AND status = 'created' RETURNING *`,
      [id, JSON.stringify(failure), this.clock.now()],
    );
  }

  /** What the agent was told by the provider that it called itself. */
  async noteReceipt({ id }: Payment, receipt: string): Promise<Payment | undefined> {
    return this.change(
      `UPDATE payments SET receipt = $2, status = CASE WHEN status = 'paid_unreceipted' THEN 'paid' ELSE status END WHERE id = $1 AND status IN ('paid', 'paid_unreceipted', 'unknown') RETURNING *`,
      [id, receipt],
    );
  }

  // ---- after a halt

  /** Claims payments that nobody works on, each for one worker. */
  claimOverdue(limit: number): Promise<Payment[]> {
    return this.rows(
      `UPDATE payments SET lease_until = $1 WHERE id IN (
         SELECT id FROM payments WHERE status IN ('created', 'unknown') AND lease_until <= $2 ORDER BY lease_until LIMIT $3 FOR UPDATE SKIP LOCKED) RETURNING *`,
      [this.lease(), this.clock.now(), limit],
    );
  }

  async renewLeases(ids: string[]): Promise<void> {
    await this.rows('UPDATE payments SET lease_until = $2 WHERE id = ANY($1)', [ids, this.lease()]);
  }

  /** Leaves a payment to the recovery, from a moment on. */
  async release(id: string, inMs = 0): Promise<void> {
    await this.rows('UPDATE payments SET lease_until = $2 WHERE id = $1', [id, new Date(this.clock.now().getTime() + inMs)]);
  }

  /** Its credential is sent once more. Undefined when it was before. */
  markResent({ id }: Payment): Promise<Payment | undefined> {
    return this.change(`UPDATE payments SET resent = true WHERE id = $1 AND status = 'unknown' AND NOT resent RETURNING *`, [id]);
  }

  /** Throws answers and requests away that were kept for a day. */
  async forget(limit: number): Promise<number> {
    const rows = await this.rows(
      `UPDATE payments SET response_body = NULL, response_headers = NULL, response_status = NULL, request_sealed = NULL WHERE id IN (
         SELECT id FROM payments WHERE (response_body IS NOT NULL OR request_sealed IS NOT NULL) AND final_at <= $1 LIMIT $2) RETURNING *`,
      [new Date(this.clock.now().getTime() - KEPT_MS), limit],
    );
    return rows.length;
  }

  private reject(
    payment: Payment,
    refusal: StoredViolation,
    when: string,
    answer: KeptAnswer | null,
    also?: With['also'],
  ): Promise<Payment | undefined> {
    const line: NewLedgerEntry = {
      accountId: payment.accountId,
      type: 'rejection',
      direction: 'out',
      microUsdc: payment.microUsdc,
      counterparty: payment.payee ?? payment.provider,
      memo: null,
      category: payment.category,
      signature: null,
      transferId: null,
      sessionId: payment.sessionId,
      rejectionReason: refusal.rule,
      settledAt: null,
    };
    return this.change(
      `UPDATE payments SET status = 'rejected', rejection_reason = $2, refusal = $3, final_at = $4, response_status = $5, response_headers = $6, response_body = $7, response_truncated = $8, micro_usdc = $9, payee = $10, category = $11
       WHERE id = $1 AND status = ${when} RETURNING *`,
      [
        payment.id,
        refusal.rule,
        JSON.stringify(refusal),
        this.clock.now(),
        answer?.status ?? null,
        answer ? JSON.stringify(answer.headers) : null,
        answer?.body ?? null,
        answer?.truncated ?? false,
        payment.microUsdc.toString(),
        payment.payee,
        payment.category,
      ],
      { also, lines: [line] },
    );
  }

  private async change(update: string, given: unknown[], more?: With): Promise<Payment | undefined> {
    const [payment] = await this.rows(...this.statement(update, given, more, 'moved.*'));
    return payment;
  }

  /** The same for those who know what the payment is then. */
  private async changed(update: string, given: unknown[], more?: With): Promise<boolean> {
    return (await runPrepared(this.database, ...this.statement(update, given, more, 'moved.id'))).length > 0;
  }

  private statement(
    update: string,
    given: unknown[],
    { first, also, lines = [], event }: With = {},
    columns: string,
  ): [statement: string, values: unknown[]] {
    const values = [...given];
    const parameter = (value: unknown): string => `$${values.push(value)}`;
    const before = first ? `${first}, ` : '';
    const other = also ? `, also AS (${also(parameter)})` : '';
    const recorded = lines.length > 0 ? `, record_lines(${parameter(JSON.stringify(this.ledger.rows(lines)))}::jsonb)` : '';
    const told = event ? `, record_event(${parameter(JSON.stringify(this.outbox.row(event)))}::jsonb)` : '';
    return [`WITH ${before}moved AS (${update}) ${other} SELECT ${columns} ${recorded} ${told} FROM moved`, values];
  }

  private keysFreeBefore(): Date {
    return new Date(this.clock.now().getTime() - this.config.IDEMPOTENCY_TTL_SECONDS * 1000);
  }

  private lease(): Date {
    return new Date(this.clock.now().getTime() + this.config.LEASE_MS);
  }

  private async rows(statement: string, values: unknown[]): Promise<Payment[]> {
    return (await runPrepared(this.database, statement, values)).map((row) => hydrate(this.database, Payment, row));
  }
}
