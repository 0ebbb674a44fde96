import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Refusal, SignedTransaction } from '#chain';
import { hydrate, newId, runPrepared } from '#database';
import { LedgerService } from '../ledger';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';
import { OutboxService } from '../events';
import { OrderHandlers, type Landed, type SideEffects } from './order-handlers.service';
import type { Parties } from './recipients';
import { storeViolation } from './violations';
import { Attempt } from './attempt.entity';
import { Order, type NewOrder, type OrderKind, type StoredFailure } from './order.entity';

/** Newest and oldest unresolved number of an account are never further apart: half of the program's replay window. */
export const MAX_UNRESOLVED_SPAN = 512;
/** A key that expires under our hands is freed, and the insert tried again. */
const MAX_INSERTS = 3;

/** The oldest number of the account $3 that may still be spent, and whether the next one is near enough to it. */
const OLDEST_UNRESOLVED = `SELECT min(seq) AS seq FROM transfers WHERE account_id = $3 AND status IN ('created', 'submitted') AND seq IS NOT NULL`;
const HAS_ROOM = `next_seq - COALESCE(oldest.seq, next_seq) < ${MAX_UNRESOLVED_SPAN}`;

/** What is kept of an order from the beginning, beside its own row. */
export type Placing = Required<Pick<SideEffects, 'also'>>;

/**
 * Every change of a transfer's state: one SQL statement each, with its event and its lines of history. A change that finds
 * another state than it expects does nothing and returns undefined.
 */
@Injectable()
export class OrderStore {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly outbox: OutboxService,
    private readonly ledger: LedgerService,
    private readonly handlers: OrderHandlers,
  ) {}

  async find(id: string): Promise<Order> {
    const [transfer] = await this.select('id = $1', [id]);
    if (!transfer) throw new Error(`the transfer ${id} is gone`);
    return transfer;
  }

  /** The order of this kind that has this key taken now: until 24 hours after it became final. */
  async findByKey(operatorId: string, kind: OrderKind, key: string): Promise<Order | undefined> {
    const [transfer] = await this.select('operator_id = $1 AND kind = $2 AND live_key = $3 AND (final_at IS NULL OR final_at > $4)', [
      operatorId,
      kind,
      key,
      this.keysFreeBefore(),
    ]);
    return transfer;
  }

  /** A new order, not yet in the database. */
  draft(order: NewOrder, id?: string): Order {
    const now = this.clock.now();
    return this.database.manager.create(Order, {
      ...order,
      id: id ?? newId('tr', now),
      liveKey: order.idempotencyKey,
      memoSalt: order.memo === null ? null : randomBytes(32),
      status: 'created',
      approved: false,
      approvalExpiresAt: null,
      seq: null,
      signature: null,
      rejectionReason: null,
      denialReason: null,
      refusal: null,
      failure: null,
      createdAt: now,
      submittedAt: null,
      settledAt: null,
      finalAt: null,
      leaseUntil: this.lease(),
    });
  }

  /**
   * Inserts a transfer, unless its key is taken: then the one that has it. A key whose time is over is freed. One that is
   * going to be signed gets its number by the way, which `submit` writes down. What is placed with it is inserted with it.
   */
  async insert(transfer: Order, withSeq: boolean, placing?: Placing): Promise<{ transfer: Order; isNew: boolean }> {
    for (let tries = 0; tries < MAX_INSERTS; tries++) {
      const [inserted] = await this.insertIfFree(transfer, withSeq, placing);
      if (inserted)
        return { transfer: Object.assign(transfer, { seq: inserted.seq === null ? null : BigInt(String(inserted.seq)) }), isNew: true };
      const holder = await this.findByKey(transfer.operatorId, transfer.kind, transfer.idempotencyKey);
      if (holder) return { transfer: holder, isNew: false };
      await this.run('UPDATE transfers SET live_key = NULL WHERE operator_id = $1 AND kind = $2 AND live_key = $3 AND final_at <= $4', [
        transfer.operatorId,
        transfer.kind,
        transfer.idempotencyKey,
        this.keysFreeBefore(),
      ]);
    }
    throw new Error(`the idempotency key of ${transfer.id} is taken and free at the same time`);
  }

  private insertIfFree(transfer: Order, withSeq: boolean, placing?: Placing): Promise<Record<string, unknown>[]> {
    const { memoSalt, createdAt, leaseUntil, microUsdc } = transfer;
    const values: unknown[] = [
      transfer.id,
      transfer.operatorId,
      transfer.accountId,
      transfer.idempotencyKey,
      transfer.requestHash,
      transfer.recipient,
      transfer.destination,
      transfer.destinationAccountId,
      microUsdc.toString(),
      transfer.memo,
      memoSalt,
      transfer.category,
      createdAt,
      leaseUntil,
      withSeq,
      transfer.kind,
      transfer.sessionId,
    ];
    const also = placing?.also((value) => `$${values.push(value)}`);
    return this.run(
      `WITH moved AS (
              INSERT INTO transfers (id, operator_id, account_id, idempotency_key, live_key, request_hash, recipient, destination, destination_account_id,
                                     micro_usdc, memo, memo_salt, category, status, created_at, lease_until, kind, session_id)
              VALUES ($1, $2, $3, $4, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'created', $13, $14, $16, $17) ON CONFLICT (operator_id, kind, live_key) DO NOTHING RETURNING account_id),
            oldest AS (${OLDEST_UNRESOLVED}),
            ${also ? `also AS (${also}),` : ''}
            taken AS (UPDATE accounts SET next_seq = next_seq + 1 FROM moved, oldest WHERE $15 AND accounts.id = moved.account_id AND ${HAS_ROOM} RETURNING next_seq - 1 AS seq)
       SELECT taken.seq FROM moved LEFT JOIN taken ON true`,
      values,
    );
  }

  /** Takes a transfer that failed, or lacked balance, up again under its id. Undefined when somebody else did meanwhile. */
  rerun(
    { id, finalAt }: Order,
    { destination, destinationAccountId }: Pick<Parties, 'destination' | 'destinationAccountId'>,
  ): Promise<Order | undefined> {
    return this.change(
      id,
      `status = 'created', rejection_reason = NULL, refusal = NULL, failure = NULL, final_at = NULL, approved = false, destination = $2, destination_account_id = $3, lease_until = $4`,
      `final_at = $5 AND (status = 'failed' OR (status = 'rejected' AND rejection_reason = 'insufficient_balance'))`,
      [destination, destinationAccountId, this.lease(), finalAt],
    );
  }

  /** Waits for an operator. Nothing was sent. */
  escalate(transfer: Order, thresholdMicroUsdc: bigint): Promise<Order | undefined> {
    const expiresAt = new Date(this.clock.now().getTime() + this.config.APPROVAL_TTL_SECONDS * 1000);
    const told = this.handlers.of(transfer).escalated(transfer, thresholdMicroUsdc, expiresAt);
    return this.change(transfer.id, `status = 'pending_approval', approval_expires_at = $2`, `status = 'created'`, [expiresAt], told);
  }

  /** An operator's yes. Undefined when it does not wait, or no longer. */
  approve(id: string): Promise<Order | undefined> {
    return this.change(
      id,
      `status = 'created', approved = true, lease_until = $2`,
      `status = 'pending_approval' AND approval_expires_at > $3`,
      [this.lease(), this.clock.now()],
    );
  }

  /** The approval could not be carried out, for the chain is away: it waits for another. Nothing was sent. */
  unapprove(id: string): Promise<Order | undefined> {
    return this.change(id, `status = 'pending_approval', approved = false`, `status = 'created' AND approved`, []);
  }

  /** An operator's no. */
  deny(transfer: Order, because: string | null): Promise<Order | undefined> {
    return this.decline(transfer, 'denied', 'approval_expires_at > $3', because);
  }

  /** Nobody's yes in time. */
  expire(transfer: Order): Promise<Order | undefined> {
    return this.decline(transfer, 'approval_expired', 'approval_expires_at <= $3', null);
  }

  private decline(transfer: Order, reason: string, condition: string, because: string | null): Promise<Order | undefined> {
    return this.change(
      transfer.id,
      `status = 'rejected', rejection_reason = $2, final_at = $3, denial_reason = $4`,
      `status = 'pending_approval' AND ${condition}`,
      [reason, this.clock.now(), because],
      this.handlers.of(transfer).declined(transfer, reason),
    );
  }

  /** A rule said no: before anything was sent, or on chain. */
  reject(transfer: Order, refusal: Refusal): Promise<Order | undefined> {
    return this.change(
      transfer.id,
      `status = 'rejected', rejection_reason = $2, refusal = $3, final_at = $4`,
      `status IN ('created', 'submitted')`,
      [refusal.rule, JSON.stringify(storeViolation(refusal, transfer)), this.clock.now()],
      this.handlers.of(transfer).declined(transfer, refusal.rule),
    );
  }

  /** Something other than a rule stood in the way, and nothing can land any more. */
  fail(transfer: Order, failure: StoredFailure): Promise<Order | undefined> {
    return this.change(transfer.id, `status = 'failed', failure = $2, final_at = $3`, `status IN ('created', 'submitted')`, [
      JSON.stringify(failure),
      this.clock.now(),
    ]);
  }

  /**
   * The transfer's sequence number: the one it has, or else the account's next. Undefined while too many are unresolved, or
   * when the transfer waits for none. The rows are the locks, so a number is given once and a transfer never gets two.
   */
  async takeSeq({ id }: Order): Promise<bigint | undefined> {
    const [taken] = await this.run(
      `WITH waiting AS (SELECT account_id FROM transfers WHERE id = $1 AND status = 'created' AND seq IS NULL FOR UPDATE),
            oldest AS (${OLDEST_UNRESOLVED.replace('$3', '(SELECT account_id FROM waiting)')}),
            taken AS (UPDATE accounts SET next_seq = next_seq + 1 FROM waiting, oldest WHERE accounts.id = waiting.account_id AND ${HAS_ROOM} RETURNING next_seq - 1 AS seq)
       UPDATE transfers SET seq = taken.seq FROM taken WHERE transfers.id = $1 RETURNING transfers.seq`,
      [id],
    );
    if (taken) return BigInt(String(taken.seq));
    const { status, seq } = await this.find(id);
    return status === 'created' && seq !== null ? seq : undefined;
  }

  /** Its number was spent by somebody else (a restored database): forget it, and go on above what the chain has spent. */
  async dropSeq({ id, accountId, seq }: Order, highestSeqOnChain: bigint): Promise<Order | undefined> {
    await this.run('UPDATE accounts SET next_seq = GREATEST(next_seq, $2::bigint + 1) WHERE id = $1', [
      accountId,
      highestSeqOnChain.toString(),
    ]);
    return this.change(id, `seq = NULL, status = 'created', submitted_at = NULL`, `status IN ('created', 'submitted') AND seq = $2`, [
      seq?.toString(),
    ]);
  }

  /** Its attempts are dead and what they died of is mended: judge and sign it again, with the same number. */
  restart({ id }: Order): Promise<Order | undefined> {
    return this.change(id, `status = 'created'`, `status = 'submitted'`, []);
  }

  /** After many numbers that were taken and never spent: start again right above the chain's highest, if none is in use. */
  async rewindSeq(accountId: string, highestSeqOnChain: bigint): Promise<void> {
    await this.run(
      `UPDATE accounts SET next_seq = $2::bigint + 1 WHERE id = $1 AND NOT EXISTS (
         SELECT 1 FROM transfers WHERE account_id = $1 AND status IN ('created', 'submitted') AND seq IS NOT NULL)`,
      [accountId, highestSeqOnChain.toString()],
    );
  }

  /**
   * Keeps the signed bytes, and their number, before they are sent. Whoever signed with another number than the one that is
   * written down by then has lost, and must not send. Of the attempts of a transfer the very first is also told.
   */
  submit(transfer: Order, seq: bigint, { signature, bytes, lastValidBlockHeight }: SignedTransaction): Promise<Order | undefined> {
    const told = this.handlers.of(transfer).initiated(transfer, signature);
    return this.change(
      transfer.id,
      `status = 'submitted', submitted_at = COALESCE(submitted_at, $2), lease_until = $3, seq = $4`,
      `status IN ('created', 'submitted') AND (seq IS NULL OR seq = $4)`,
      [this.clock.now(), this.lease(), seq.toString()],
      {
        ...told,
        also: (parameter) =>
          `INSERT INTO transfer_attempts (transfer_id, signature, seq, bytes, last_valid_block_height, created_at)
           SELECT id, ${parameter(signature)}, seq, ${parameter(Buffer.from(bytes))}, ${parameter(lastValidBlockHeight)}, $2 FROM moved ON CONFLICT (signature) DO NOTHING RETURNING 1`,
      },
      'moved.submitted_at <> $2 OR EXISTS (SELECT 1 FROM transfer_attempts WHERE transfer_id = $1)',
    );
  }

  attempts(transferId: string): Promise<Attempt[]> {
    return this.database.manager.find(Attempt, { where: { transferId }, order: { createdAt: 'DESC' } });
  }

  /** It has landed, in this transaction. @throws ChainUnavailableError where its kind must read the chain. */
  settle(transfer: Order, landed: Landed): Promise<Order | undefined> {
    return this.settleWhen(transfer, landed, `status IN ('created', 'submitted')`);
  }

  private async settleWhen(transfer: Order, landed: Landed, when: string, mending = ''): Promise<Order | undefined> {
    const settledAt = this.clock.now();
    const told = await this.handlers.of(transfer).settled(transfer, landed, settledAt);
    return this.change(
      transfer.id,
      `status = 'settled', signature = $2, settled_at = $3, final_at = $3${mending}`,
      when,
      [landed.signature, settledAt],
      told,
    );
  }

  /** The chain proves that it has landed, whatever was written down here. Also undoes a failure or a rejection. */
  settleProven(transfer: Order, landed: Landed): Promise<Order | undefined> {
    return this.settleWhen(
      transfer,
      landed,
      `status <> 'settled'`,
      ', rejection_reason = NULL, denial_reason = NULL, refusal = NULL, failure = NULL',
    );
  }

  /** Claims transfers that nobody has worked on for a while, each for one worker. */
  async claimOverdue(limit: number): Promise<Order[]> {
    const rows = await this.run(
      `UPDATE transfers SET lease_until = $1 WHERE id IN (
         SELECT id FROM transfers WHERE status IN ('created', 'submitted') AND lease_until <= $2
         ORDER BY lease_until LIMIT $3 FOR UPDATE SKIP LOCKED) RETURNING *`,
      [this.lease(), this.clock.now(), limit],
    );
    return rows.map((row) => hydrate(this.database, Order, row));
  }

  /** Transfers that waited for an approval in vain. */
  expiredApprovals(limit: number): Promise<Order[]> {
    return this.select(`status = 'pending_approval' AND approval_expires_at <= $1 LIMIT $2`, [this.clock.now(), limit]);
  }

  /** The ids of transfers from before a moment that are neither final nor waiting for an approval. */
  async unended(createdBefore: Date): Promise<string[]> {
    const rows = await this.run(`SELECT id FROM transfers WHERE status IN ('created', 'submitted') AND created_at < $1 ORDER BY id`, [
      createdBefore,
    ]);
    return rows.map(({ id }) => String(id));
  }

  /** Keeps transfers for whoever works on them. Harmless for those that are finished by now. */
  async renewLeases(ids: string[]): Promise<void> {
    await this.run('UPDATE transfers SET lease_until = $2 WHERE id = ANY($1)', [ids, this.lease()]);
  }

  /** Gives a transfer back at once, for the recovery to take up. */
  async release(id: string): Promise<void> {
    await this.run('UPDATE transfers SET lease_until = $2 WHERE id = $1', [id, this.clock.now()]);
  }

  private keysFreeBefore(): Date {
    return new Date(this.clock.now().getTime() - this.config.IDEMPOTENCY_TTL_SECONDS * 1000);
  }

  private lease(): Date {
    return new Date(this.clock.now().getTime() + this.config.LEASE_MS);
  }

  private async select(condition: string, parameters: unknown[]): Promise<Order[]> {
    const rows = await this.run(`SELECT * FROM transfers WHERE ${condition}`, parameters);
    return rows.map((row) => hydrate(this.database, Order, row));
  }

  /**
   * One guarded step of the state machine with all that belongs to it, in one statement and so in one commit. Locks are
   * taken in one order everywhere: the order, its account, the counter of its events. `unless` is SQL, and keeps the event from
   * being told, by what stood there before.
   */
  private async change(
    id: string,
    set: string,
    when: string,
    parameters: unknown[],
    { event, lines = [], slot, also }: SideEffects = {},
    unless = 'false',
  ): Promise<Order | undefined> {
    const values = [id, ...parameters];
    const parameter = (value: unknown): string => `$${values.push(value)}`;
    const [slotAt, eventAt, linesAt] = [
      slot ?? null,
      event ? JSON.stringify(this.outbox.row(event)) : null,
      JSON.stringify(this.ledger.rows(lines)),
    ].map(parameter);
    const rows = await this.run(
      `WITH moved AS (UPDATE transfers SET ${set} WHERE id = $1 AND ${when} RETURNING *)
            ${also ? `, also AS (${also(parameter)})` : ''}
            , seen AS (UPDATE accounts SET changed_slot = ${slotAt}::bigint FROM moved WHERE accounts.id = moved.account_id AND changed_slot < ${slotAt}::bigint RETURNING 1)
       SELECT moved.*, (SELECT count(*) FROM seen), record_event(CASE WHEN ${unless} THEN NULL ELSE ${eventAt}::jsonb END), record_lines(${linesAt}::jsonb) FROM moved`,
      values,
    );
    return rows[0] && hydrate(this.database, Order, rows[0]);
  }

  private run(statement: string, parameters: unknown[]): Promise<Record<string, unknown>[]> {
    return runPrepared(this.database, statement, parameters);
  }
}
