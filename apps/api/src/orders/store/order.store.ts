import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { SignedTransaction } from '#chain';
import { execute, hydrate, type Row, SharedStatements, type Sql, sql, words } from '#database';
import { AuditLog } from '../../audit';
import { OutboxService } from '../../events';
import type { Caller } from '../../http/caller';
import { LedgerService } from '../../ledger';
import { formatUsdc } from '../../money/usdc';
import { Lease } from '../../persistence/lease';
import { enter, leave, runTransition, type Transition, type TransitionEffects } from '../../persistence/transition';
import { Clock } from '../../runtime/clock';
import { Config } from '../../runtime/config';
import type { Approval } from '../approvals/approval-macs';
import { Attempt } from './attempt.entity';
import { Order, type StoredFailure, type StoredViolation } from '../order.entity';
import { ORDER_TRANSITIONS, type OrderStatus, UNRESOLVED_STATUSES } from '../order.states';
import type { Landed, SideEffects } from '../order-handlers.service';
import { effectRows } from './effect-rows';

const T = ORDER_TRANSITIONS;
/** Orders on which the service has work to do. */
export const IS_UNRESOLVED = sql`status IN (${words(UNRESOLVED_STATUSES)})`;
/** An approval is for one nonce: without that nonce the order needs another one. */
export const UNAPPROVED = sql`approved = false, approved_by = NULL, approved_at = NULL, approval_mac = NULL`;
/** A transition that many orders make at once, and what else is part of it. */
interface Step extends Pick<TransitionEffects, 'companion' | 'eventWhen'> {
  shared?: SharedStatements;
  accountId?: string;
}

/**
 * The transitions of stored orders. Each transition is one statement with its event and its ledger entries. A transition
 * whose guard does not hold writes nothing and returns undefined.
 */
@Injectable()
export class OrderStore {
  private readonly lease: Lease;
  /** The steps that every order takes: orders that are at the same step share its statement's transaction. */
  private readonly submissions: SharedStatements;
  private readonly endings: SharedStatements;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly outbox: OutboxService,
    private readonly ledger: LedgerService,
    private readonly audit: AuditLog,
  ) {
    this.submissions = new SharedStatements(database);
    this.endings = new SharedStatements(database);
    this.lease = new Lease(database, clock, { table: 'orders', durationMs: config.LEASE_MS });
  }

  /** @throws Error if the order does not exist. */
  async find(id: string): Promise<Order> {
    const order = await this.findIfStored(id);
    if (!order) throw new Error(`the order ${id} does not exist`);
    return order;
  }

  async findIfStored(id: string): Promise<Order | undefined> {
    const [row] = await execute(this.database, sql`SELECT * FROM orders WHERE id = ${id}`);
    return row && this.order(row);
  }

  /** The order waits for an operator until `expiresAt`. Nothing was sent. */
  escalate({ id }: Order, { expiresAt, mac }: { expiresAt: Date; mac: Buffer }, effects: SideEffects): Promise<Order | undefined> {
    const set = sql`approval_expires_at = ${expiresAt}, waiting_mac = ${mac}, submitted_at = NULL, ${UNAPPROVED}`;
    return this.run(this.update(T.escalate, id, set), effects);
  }

  /** When an approval that is asked for now expires. */
  approvalExpiry(): Date {
    return new Date(this.clock.now().getTime() + this.config.APPROVAL_TTL_SECONDS * 1000);
  }

  /**
   * Approved by an operator's key, for the nonce of the approval, which may replace the one that the order had. Undefined if the order does
   * not wait, has another nonce by now, or its approval has expired.
   */
  approve(order: Order, caller: Caller, { approvedBy, approvedAt, seq, mac }: Approval): Promise<Order | undefined> {
    const set = sql`approved = true, approved_by = ${approvedBy}, approved_at = ${approvedAt}, approval_mac = ${mac},
      seq = ${seq.toString()}, lease_until = ${this.lease.end()}`;
    const audit = this.decision(order, 'approved', caller, null);
    const known = order.seq?.toString() ?? null;
    const guard = sql`approval_expires_at > ${approvedAt} AND (seq IS NOT DISTINCT FROM ${known}::bigint OR seq = ${seq.toString()})`;
    return this.run(this.update(T.approve, order.id, set, guard), { audit });
  }

  /** The approval could not be executed: the order waits for another. Nothing of it can land. */
  unapprove(id: string): Promise<Order | undefined> {
    return this.run(this.update(T.unapprove, id, UNAPPROVED, sql`approved`));
  }

  /** Denied by an operator's key, or by the service if there is no caller. */
  deny(order: Order, caller: Caller | null, reason: string | null, effects: SideEffects): Promise<Order | undefined> {
    const now = this.clock.now();
    const set = sql`rejection_reason = 'denied', denial_reason = ${reason}, final_at = ${now}`;
    const audit = caller ? { audit: this.decision(order, 'denied', caller, reason) } : {};
    return this.run(this.update(T.deny, order.id, set, sql`approval_expires_at > ${now}`), { ...effects, ...audit });
  }

  /** The entry of the audit log for an operator's decision on an order that waits for approval. */
  private decision(order: Order, decision: 'approved' | 'denied', caller: Caller, reason: string | null): Sql {
    const { kind, accountId, microUsdc, recipient, payee } = order;
    if (kind === 'charge' || kind === 'direct_transfer') throw new Error(`a ${kind} is never approved by an operator`);
    const what = { account_id: accountId, amount_usdc: formatUsdc(microUsdc), to: recipient ?? payee };
    const after = { ...what, ...(decision === 'denied' && { reason }) };
    return this.audit.entry(caller, {
      action: `${kind === 'channel_purse' ? 'purse' : kind}.${decision}`,
      object: order.sessionId ?? order.id,
      after,
    });
  }

  /** The approval was not given in time. */
  expire({ id }: Order, effects: SideEffects): Promise<Order | undefined> {
    const now = this.clock.now();
    const set = sql`rejection_reason = 'approval_expired', denial_reason = NULL, final_at = ${now}`;
    return this.run(this.update(T.expire, id, set, sql`approval_expires_at <= ${now}`), effects);
  }

  /** A policy violation, before anything was sent or on chain. */
  reject({ id, accountId }: Order, violation: StoredViolation, effects: SideEffects): Promise<Order | undefined> {
    const set = sql`rejection_reason = ${violation.rule}, violation = ${JSON.stringify(violation)}, final_at = ${this.clock.now()}`;
    return this.run(this.update(T.reject, id, set), effects, { shared: this.endings, accountId });
  }

  /** A failure without a policy violation. No transaction of the order can land any more. */
  fail({ id, accountId }: Order, failure: StoredFailure): Promise<Order | undefined> {
    const set = sql`failure = ${JSON.stringify(failure)}, final_at = ${this.clock.now()}`;
    return this.run(this.update(T.fail, id, set), {}, { shared: this.endings, accountId });
  }

  /** The nonce was used by another order (after a restore): the order gets a new one. */
  dropNonce({ id, seq }: Order): Promise<Order | undefined> {
    return this.run(this.update(T.dropNonce, id, sql`seq = NULL, submitted_at = NULL, ${UNAPPROVED}`, sql`seq = ${seq?.toString()}`));
  }

  /** Every attempt is dead: simulate and sign again, with the same nonce. */
  restart({ id }: Order): Promise<Order | undefined> {
    return this.run(sql`UPDATE orders SET ${enter(T.restart)} WHERE id = ${id} AND ${leave(T.restart)} RETURNING *`);
  }

  /**
   * Every attempt is dead, and what the operator has signed with them: the order is judged again under the same nonce, and waits for another
   * approval if the policy asks for one.
   */
  restartUnapproved({ id }: Order): Promise<Order | undefined> {
    return this.run(this.update(T.restart, id, sql`submitted_at = NULL, ${UNAPPROVED}`));
  }

  /**
   * Stores a signed transaction and its nonce before it is sent. Undefined if the order has another nonce by now: then it must not
   * be sent. The event is recorded for the first attempt only.
   */
  submit({ id, accountId }: Order, seq: bigint, transaction: SignedTransaction, effects: SideEffects): Promise<Order | undefined> {
    const now = this.clock.now();
    const set = sql`submitted_at = COALESCE(submitted_at, ${now}), lease_until = ${this.lease.end()}, seq = ${seq.toString()}`;
    return this.run(this.update(T.submit, id, set, sql`(seq IS NULL OR seq = ${seq.toString()})`), effects, {
      shared: this.submissions,
      accountId,
      companion: attemptOf(transaction, now),
      eventWhen: sql`moved.submitted_at = ${now} AND NOT EXISTS (SELECT 1 FROM order_attempts WHERE order_id = ${id})`,
    });
  }

  /** The attempts of an order, newest first. */
  attempts(orderId: string): Promise<Attempt[]> {
    return this.database.manager.find(Attempt, { where: { orderId }, order: { createdAt: 'DESC' } });
  }

  /** The order landed. */
  settle({ id, accountId }: Order, { signature }: Landed, settledAt: Date, effects: SideEffects): Promise<Order | undefined> {
    const set = sql`signature = ${signature}, settled_at = ${settledAt}, final_at = ${settledAt}`;
    return this.run(this.update(T.settle, id, set), effects, { shared: this.endings, accountId });
  }

  /**
   * The chain proves that the order landed, whatever the row says: also undoes a failure or a rejection. The row keeps the nonce by which it
   * landed, unless an order that has not noticed yet holds it.
   */
  settleProven(
    { id, accountId, seq: known }: Order,
    { signature, seq }: Landed,
    settledAt: Date,
    effects: SideEffects,
  ): Promise<Order | undefined> {
    const used = (seq ?? known)?.toString() ?? null;
    const set = sql`signature = ${signature}, settled_at = ${settledAt}, final_at = ${settledAt},
      seq = CASE WHEN EXISTS (SELECT 1 FROM orders WHERE account_id = ${accountId} AND seq = ${used}::bigint AND id <> ${id}) THEN seq
            ELSE ${used}::bigint END,
      rejection_reason = NULL, denial_reason = NULL, violation = NULL, failure = NULL`;
    return this.run(this.update(T.settleProven, id, set), effects);
  }

  /** Claims orders whose lease has ended. */
  async claimOverdue(limit: number): Promise<Order[]> {
    return (await this.lease.claim({ where: IS_UNRESOLVED, limit })).map((row) => this.order(row));
  }

  /** Renews the leases of orders that this process works on. */
  renewLeases(ids: string[]): Promise<void> {
    return this.lease.renew(ids);
  }

  /** Ends the lease of an order: recovery takes it up. */
  release(id: string): Promise<void> {
    return this.lease.release(id);
  }

  private update(transition: Transition<OrderStatus>, id: string, set: Sql, guard: Sql = sql`true`): Sql {
    return sql`UPDATE orders SET ${enter(transition)}, ${set} WHERE id = ${id} AND ${leave(transition)} AND ${guard} RETURNING *`;
  }

  private async run(change: Sql, effects: SideEffects = {}, { shared, accountId, ...more }: Step = {}): Promise<Order | undefined> {
    const run = shared ? (statement: Sql) => shared.execute(statement, accountId) : this.database;
    const row = await runTransition(run, change, { ...effectRows(effects, { outbox: this.outbox, ledger: this.ledger }), ...more });
    return row && this.order(row);
  }

  private order(row: Row): Order {
    return hydrate(this.database, Order, row);
  }
}

/** Stores an attempt of the order whose row is `moved`. */
export function attemptOf({ signature, bytes, lastValidBlockHeight, feeLamports }: SignedTransaction, now: Date): Sql {
  return sql`INSERT INTO order_attempts (order_id, signature, seq, bytes, last_valid_block_height, fee_lamports, created_at)
    SELECT id, ${signature}, seq, ${Buffer.from(bytes)}, ${lastValidBlockHeight}, ${feeLamports.toString()}::bigint, ${now}::timestamptz
      FROM moved ON CONFLICT (signature) DO NOTHING`;
}
