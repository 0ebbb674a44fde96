import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { SignedTransaction } from '#chain';
import { empty, execute, hydrate, type Row, SharedStatements, type Sql, sql, words } from '#database';
import { leaseNext } from '../accounts';
import { AuditLog } from '../audit';
import { OutboxService } from '../events';
import type { Caller } from '../http/caller';
import { LedgerService } from '../ledger';
import { formatUsdc } from '../money/usdc';
import { IdempotencyKeys, IF_DECLINED } from '../persistence/idempotency';
import { Lease } from '../persistence/lease';
import { enter, leave, runTransition, type Transition, type TransitionEffects } from '../persistence/transition';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';
import type { Approval } from './approval-macs';
import { Attempt } from './attempt.entity';
import { keySpaceOf, type NewOrder, Order, type OrderKind, type StoredFailure, type StoredViolation } from './order.entity';
import { ORDER_TRANSITIONS, type OrderStatus, UNRESOLVED_STATUSES } from './order.states';
import { newOrder } from './order-draft';
import { NonceLeases } from './nonce-leases';
import type { Landed, SideEffects } from './order-handlers.service';

/** The newest and the oldest unresolved nonce of an account differ by at most this: half of the program's nonce window. */
export const MAX_UNRESOLVED_SPAN = 512;

const T = ORDER_TRANSITIONS;
const IS_UNRESOLVED = sql`status IN (${words(UNRESOLVED_STATUSES)})`;
/** An approval is for one nonce: without that nonce the order needs another one. */
const UNAPPROVED = sql`approved = false, approved_by = NULL, approved_at = NULL, approval_mac = NULL`;
/** The requests that a key is looked up for. */
export type Keyed = Pick<Order, 'operatorId' | 'kind' | 'accountId'>;
/** The oldest nonce of an account that may still be used. */
const oldestUnresolved = (account: Sql): Sql =>
  sql`SELECT min(seq) AS seq FROM orders WHERE account_id = ${account} AND ${IS_UNRESOLVED} AND seq IS NOT NULL`;
/** The further work of an order's insertion. */
interface Insertion {
  /** Inserts what the order's kind keeps beside it. */
  companion?: Sql | undefined;
  /** A function that throws where the order may not be inserted. */
  condition?: Sql | undefined;
}

/** A signed transaction and the nonce in it. */
export interface SignedOrder {
  seq: bigint;
  transaction: SignedTransaction;
}

/** A transition that many orders make at once, and what else is part of it. */
interface Step extends Pick<TransitionEffects, 'companion' | 'eventWhen'> {
  shared?: SharedStatements;
  accountId?: string;
}

/**
 * The SQL of orders. Each transition is one statement with its event and its ledger entries. A transition whose guard does not hold
 * writes nothing and returns undefined.
 */
@Injectable()
export class OrderStore {
  private readonly keys: IdempotencyKeys;
  private readonly lease: Lease;
  /** The steps that every order takes: orders that are at the same step share its statement's transaction. */
  private readonly insertions: SharedStatements;
  private readonly submissions: SharedStatements;
  private readonly endings: SharedStatements;
  private readonly nonces = new NonceLeases();

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly outbox: OutboxService,
    private readonly ledger: LedgerService,
    private readonly audit: AuditLog,
  ) {
    this.insertions = new SharedStatements(database);
    this.submissions = new SharedStatements(database);
    this.endings = new SharedStatements(database);
    this.lease = new Lease(database, clock, { table: 'orders', durationMs: config.LEASE_MS });
    this.keys = new IdempotencyKeys(database, {
      table: 'orders',
      column: 'active_idempotency_key',
      scope: ['operator_id', 'kind'],
      isFree: () => sql`final_at <= ${this.keysFreeBefore()}`,
      ofAccount: IF_DECLINED,
    });
  }

  /** @throws Error where the order does not exist. */
  async find(id: string): Promise<Order> {
    const order = await this.findIfStored(id);
    if (!order) throw new Error(`the order ${id} does not exist`);
    return order;
  }

  async findIfStored(id: string): Promise<Order | undefined> {
    const [order] = await this.select(sql`SELECT * FROM orders WHERE id = ${id}`);
    return order;
  }

  /** The order of this kind that holds the key against requests of an account: until 24 hours after it became final. */
  async findByKey({ operatorId, kind, accountId }: Keyed, key: string): Promise<Order | undefined> {
    const row = await this.keys.holder([operatorId, keySpaceOf(kind)], key, accountId);
    return row && this.order(row);
  }

  /** A new order that is not stored yet. */
  draft(order: NewOrder): Order {
    const draft = this.database.manager.create(Order, newOrder(order, { now: this.clock.now(), leaseUntil: this.lease.end() }));
    // No column, so that TypeORM leaves it out.
    return Object.assign(draft, { byAgent: order.byAgent === true });
  }

  /**
   * Inserts an order, unless its idempotency key is in use: then returns the order that holds it. Allocates the nonce in the same
   * statement if `withNonce`; `submit` stores it.
   */
  async insert(order: Order, withNonce: boolean, also: Insertion = {}): Promise<{ order: Order; isNew: boolean }> {
    const insert = async (): Promise<Row | undefined> => (await this.insertIfFree(order, withNonce, also))[0];
    if (order.idempotencyKey === null) {
      const inserted = await insert();
      return inserted ? { order: withSeq(order, inserted), isNew: true } : { order: await this.find(order.id), isNew: false };
    }
    const { row, isNew } = await this.keys.insertOnce(
      [order.operatorId, keySpaceOf(order.kind)],
      order.idempotencyKey,
      insert,
      order.accountId,
    );
    return { order: isNew ? withSeq(order, row) : this.order(row), isNew };
  }

  private insertIfFree(order: Order, withNonce: boolean, { companion, condition }: Insertion): Promise<Row[]> {
    return this.insertions.execute(
      sql`WITH moved AS (${insertion(order, null)} ${condition ? sql`FROM ${condition}` : empty}
            ON CONFLICT DO NOTHING RETURNING account_id),
          oldest AS (${oldestUnresolved(sql`${order.accountId}`)})
          ${companion ? sql`, companion AS (${companion})` : empty}
          SELECT CASE WHEN ${withNonce} THEN allocate_nonce(moved.account_id, oldest.seq, ${MAX_UNRESOLVED_SPAN}) END AS seq
            FROM moved, oldest`,
      order.accountId,
    );
  }

  /** A nonce for an order of an account that is signed before it is stored. Undefined while too many nonces are unresolved. */
  async leaseNonce(accountId: string): Promise<bigint | undefined> {
    return this.nonces.take(accountId) ?? (await this.allocateNonce(accountId));
  }

  /**
   * Inserts an order with its first attempt, or with the companion of its effects, submitted, and allocates the nonce of a later one.
   * Undefined where nothing was inserted: its
   * key is in use, or its nonce is not within the span that may be unresolved.
   *
   * The account's row is locked while its counter is compared with the nonce. So a nonce is at most `MAX_UNRESOLVED_SPAN` below the counter
   * when its order is stored, however long it was leased, and from then on the order bounds the counter.
   */
  async insertSigned(order: Order, { seq, transaction }: SignedOrder, effects: SideEffects, condition?: Sql): Promise<Order | undefined> {
    const { accountId } = order;
    const [nonce, now] = [seq.toString(), this.clock.now()];
    const before = sql`oldest AS (${oldestUnresolved(sql`${accountId}`)}),
      leased AS (${leaseNext(accountId, nonce, MAX_UNRESOLVED_SPAN)})`;
    // Not counted against the account's bounds where the nonce is not taken.
    const admitted = condition ? sql`CROSS JOIN LATERAL (SELECT ${condition} WHERE leased.seq IS NOT NULL OFFSET 0) AS admitted` : empty;
    const change = sql`${insertion(order, { seq: nonce, at: now })} FROM leased ${admitted} ON CONFLICT DO NOTHING RETURNING *`;
    const step = {
      before,
      companion: effects.companion ?? attemptOf(transaction, now),
      returning: sql`(SELECT seq FROM leased) AS leased_seq`,
    };
    const row = await runTransition((statement) => this.insertions.execute(statement, accountId), change, {
      event: effects.event && this.outbox.row(effects.event),
      ...step,
    });
    if (!row) return void this.nonces.forget(accountId);
    this.nonces.keep(accountId, BigInt(String(row.leased_seq)));
    return Object.assign(order, this.order(row));
  }

  /** Whether an order holds its key, or may hold it again: another account may have taken it from an order that was declined. */
  hasKey(order: Order): Promise<boolean> {
    return this.keys.mayHold([order.operatorId, keySpaceOf(order.kind)], order);
  }

  /** Takes an order that failed, or lacked balance, up again under its id and its key. Undefined where another request did meanwhile. */
  async rerun(
    order: Order,
    { destination, destinationAccountId }: Pick<Order, 'destination' | 'destinationAccountId'>,
  ): Promise<Order | undefined> {
    const { id, finalAt } = order;
    await this.keys.releaseFor([order.operatorId, keySpaceOf(order.kind)], order);
    return this.run(
      sql`UPDATE orders SET ${enter(T.rerun)}, rejection_reason = NULL, violation = NULL, failure = NULL, final_at = NULL,
                 ${UNAPPROVED}, active_idempotency_key = idempotency_key, destination = ${destination},
                 destination_account_id = ${destinationAccountId}, lease_until = ${this.lease.end()}
          WHERE id = ${id} AND ${leave(T.rerun)} AND final_at = ${finalAt}
            AND (status = 'failed' OR rejection_reason = 'insufficient_balance') RETURNING *`,
    );
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
   * Approved by an operator's key, for the nonce of the approval, which may replace the one that the order had. Undefined where the order does
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

  /** Denied by an operator's key, or by the service where there is no caller. */
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

  /**
   * The order's nonce: the one it has, or the next of its account. Undefined while too many nonces of the account are unresolved, or
   * where the order needs none. Row locks make a nonce unique to an order, and the nonce of an order final.
   */
  async takeNonce({ id }: Order): Promise<bigint | undefined> {
    const [taken] = await execute(
      this.database,
      sql`WITH waiting AS (SELECT account_id FROM orders WHERE id = ${id} AND status = 'created' AND seq IS NULL FOR UPDATE),
               oldest AS (${oldestUnresolved(sql`(SELECT account_id FROM waiting)`)}),
               nonce AS (SELECT allocate_nonce(account_id, oldest.seq, ${MAX_UNRESOLVED_SPAN}) AS seq FROM waiting, oldest)
          UPDATE orders SET seq = nonce.seq FROM nonce WHERE orders.id = ${id} AND nonce.seq IS NOT NULL RETURNING orders.seq`,
    );
    if (taken) return BigInt(String(taken.seq));
    const { status, seq } = await this.find(id);
    return status === 'created' && seq !== null ? seq : undefined;
  }

  /** The next nonce of an account, for an order that is not stored with it yet. Undefined while too many nonces are unresolved. */
  async allocateNonce(accountId: string): Promise<bigint | undefined> {
    const [allocated] = await execute(
      this.database,
      sql`WITH oldest AS (${oldestUnresolved(sql`${accountId}`)})
          SELECT allocate_nonce(${accountId}, oldest.seq, ${MAX_UNRESOLVED_SPAN}) AS seq FROM oldest`,
    );
    return allocated?.seq == null ? undefined : BigInt(String(allocated.seq));
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
   * approval where the policy asks for one.
   */
  restartUnapproved({ id }: Order): Promise<Order | undefined> {
    return this.run(this.update(T.restart, id, sql`submitted_at = NULL, ${UNAPPROVED}`));
  }

  /** Whether a nonce of an account is allocated to an order that may still use it. */
  async hasUnresolvedNonce(accountId: string): Promise<boolean> {
    const rows = await execute(
      this.database,
      sql`SELECT 1 FROM orders WHERE account_id = ${accountId} AND ${IS_UNRESOLVED} AND seq IS NOT NULL LIMIT 1`,
    );
    return rows.length > 0;
  }

  /**
   * Stores a signed transaction and its nonce before it is sent. Undefined where the order has another nonce by now: then it must not
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

  /** The submitted orders of an account. */
  submittedOf(accountId: string): Promise<Order[]> {
    return this.select(sql`SELECT * FROM orders WHERE account_id = ${accountId} AND status = 'submitted' ORDER BY id`);
  }

  /** The submitted transfers that pay an account. */
  submittedTo(accountId: string): Promise<Order[]> {
    return this.select(
      sql`SELECT * FROM orders WHERE destination_account_id = ${accountId} AND status = 'submitted' AND account_id <> ${accountId} ORDER BY id`,
    );
  }

  /** Orders whose approval has expired. */
  expiredApprovals(limit: number): Promise<Order[]> {
    return this.select(
      sql`SELECT * FROM orders WHERE status = 'pending_approval' AND approval_expires_at <= ${this.clock.now()} LIMIT ${limit}`,
    );
  }

  /** The ids of orders created before a time that are unresolved. */
  async unresolvedBefore(createdBefore: Date): Promise<string[]> {
    const rows = await execute(
      this.database,
      sql`SELECT id FROM orders WHERE ${IS_UNRESOLVED} AND created_at < ${createdBefore} ORDER BY id`,
    );
    return rows.map(({ id }) => String(id));
  }

  /** Whether an account has orders that are not final. */
  async hasOpen(accountId: string): Promise<boolean> {
    const rows = await execute(this.database, sql`SELECT 1 FROM orders WHERE account_id = ${accountId} AND final_at IS NULL LIMIT 1`);
    return rows.length > 0;
  }

  /** The oldest order of a session and a kind that waits for approval. */
  async waitingOf(session: { id: string; accountId: string }, kind: OrderKind): Promise<Order | undefined> {
    const [order] = await this.select(
      sql`SELECT * FROM orders WHERE account_id = ${session.accountId} AND kind = ${kind} AND session_id = ${session.id}
          AND status = 'pending_approval' ORDER BY id LIMIT 1`,
    );
    return order;
  }

  /** Renews the leases of orders that this process works on. */
  renewLeases(ids: string[]): Promise<void> {
    return this.lease.renew(ids);
  }

  /** Ends the lease of an order: recovery takes it up. */
  release(id: string): Promise<void> {
    return this.lease.release(id);
  }

  private keysFreeBefore(): Date {
    return new Date(this.clock.now().getTime() - this.config.IDEMPOTENCY_TTL_SECONDS * 1000);
  }

  private update(transition: Transition<OrderStatus>, id: string, set: Sql, guard: Sql = sql`true`): Sql {
    return sql`UPDATE orders SET ${enter(transition)}, ${set} WHERE id = ${id} AND ${leave(transition)} AND ${guard} RETURNING *`;
  }

  private async run(
    change: Sql,
    { event, entries = [], slot, audit, companion }: SideEffects = {},
    { shared, accountId, ...more }: Step = {},
  ): Promise<Order | undefined> {
    const run = shared ? (statement: Sql) => shared.execute(statement, accountId) : this.database;
    const row = await runTransition(run, change, {
      event: event && this.outbox.row(event),
      entries: this.ledger.rows(entries),
      slot,
      audit,
      companion,
      ...more,
    });
    return row && this.order(row);
  }

  private async select(statement: Sql): Promise<Order[]> {
    return (await execute(this.database, statement)).map((row) => this.order(row));
  }

  private order(row: Row): Order {
    return hydrate(this.database, Order, row);
  }
}

function withSeq(order: Order, { seq }: Row): Order {
  return Object.assign(order, { seq: seq === null ? null : BigInt(String(seq)) });
}

/** Inserts an order, with what follows: a FROM clause and the rest. `signed`: with its nonce, as submitted. */
export function insertion(order: Order, signed: { seq: string; at: Date } | null): Sql {
  return sql`
    INSERT INTO orders (id, operator_id, account_id, kind, source, session_id, idempotency_key, active_idempotency_key, request_hash,
                        recipient, destination, destination_account_id, payee, delegate_key, micro_usdc, memo, memo_salt, category,
                        created_at, lease_until, reference, metadata, created_by, request_id, traceparent, handed_until, nonce_of,
                        status, seq, submitted_at)
    SELECT ${order.id}, ${order.operatorId}, ${order.accountId}, ${order.kind}, ${order.source}, ${order.sessionId},
           ${order.idempotencyKey}, ${order.activeIdempotencyKey}, ${order.requestHash}, ${order.recipient}, ${order.destination},
           ${order.destinationAccountId}, ${order.payee}, ${order.delegateKey}, ${order.microUsdc.toString()}::bigint, ${order.memo},
           ${order.memoSalt}, ${order.category}, ${order.createdAt}::timestamptz, ${order.leaseUntil}::timestamptz, ${order.reference},
           ${JSON.stringify(order.metadata)}::jsonb, ${order.createdBy}, ${order.requestId}, ${order.traceparent},
           ${order.handedUntil?.toString() ?? null}::bigint, ${order.nonceOf}, ${signed ? 'submitted' : 'created'}, ${signed?.seq ?? null}::bigint,
           ${signed?.at ?? null}::timestamptz`;
}

/** Stores an attempt of the order whose row is `moved`. */
export function attemptOf({ signature, bytes, lastValidBlockHeight, feeLamports }: SignedTransaction, now: Date): Sql {
  return sql`INSERT INTO order_attempts (order_id, signature, seq, bytes, last_valid_block_height, fee_lamports, created_at)
    SELECT id, ${signature}, seq, ${Buffer.from(bytes)}, ${lastValidBlockHeight}, ${feeLamports.toString()}::bigint, ${now}::timestamptz
      FROM moved ON CONFLICT (signature) DO NOTHING`;
}
