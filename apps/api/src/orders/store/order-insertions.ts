import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { SignedTransaction } from '#chain';
import { empty, hydrate, type Row, SharedStatements, type Sql, sql, words } from '#database';
import { leaseNext } from '../../accounts';
import { OutboxService } from '../../events';
import { IdempotencyKeys, IF_DECLINED } from '../../persistence/idempotency';
import { Lease } from '../../persistence/lease';
import { enter, leave, runTransition } from '../../persistence/transition';
import { Clock } from '../../runtime/clock';
import { Config } from '../../runtime/config';
import { NonceLeases } from './nonce-leases';
import { newOrder } from '../placing/order-draft';
import type { SideEffects } from '../order-handlers.service';
import { kindsBeside, type NewOrder, Order } from '../order.entity';
import { ORDER_TRANSITIONS } from '../order.states';
import { MAX_UNRESOLVED_SPAN, NonceStore, oldestUnresolved } from './nonce.store';
import { attemptOf, OrderStore, UNAPPROVED } from './order.store';

/** The requests that a key is looked up for. */
export type Keyed = Pick<Order, 'operatorId' | 'kind' | 'accountId'>;
/** The further work of an order's insertion. */
interface Insertion {
  /** Inserts what the order's kind keeps beside it. */
  companion?: Sql | undefined;
  /** A function that throws if the order may not be inserted. */
  condition?: Sql | undefined;
}

/** A signed transaction and the nonce in it. */
export interface SignedOrder {
  seq: bigint;
  transaction: SignedTransaction;
}

/** Stores new orders, each once for its idempotency key, and takes failed ones up again. */
@Injectable()
export class OrderInsertions {
  private readonly keys: IdempotencyKeys;
  private readonly lease: Lease;
  /** Orders that are inserted at the same time share a transaction. */
  private readonly insertions: SharedStatements;
  private readonly nonces = new NonceLeases();

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly outbox: OutboxService,
    private readonly store: OrderStore,
    private readonly nonceStore: NonceStore,
  ) {
    this.insertions = new SharedStatements(database);
    this.lease = new Lease(database, clock, { table: 'orders', durationMs: config.LEASE_MS });
    this.keys = new IdempotencyKeys(database, {
      table: 'orders',
      column: 'active_idempotency_key',
      scope: ['operator_id', 'kind'],
      isFree: () => sql`final_at <= ${this.keysFreeBefore()}`,
      ofAccount: IF_DECLINED,
    });
  }

  /** The order of this kind that holds the key against requests of an account: until 24 hours after it became final. */
  async findByKey({ operatorId, kind, accountId }: Keyed, key: string): Promise<Order | undefined> {
    const row = await this.keys.holder([operatorId, kindsBeside(kind)], key, accountId);
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
      return inserted ? { order: withSeq(order, inserted), isNew: true } : { order: await this.store.find(order.id), isNew: false };
    }
    const { row, isNew } = await this.keys.insertOnce(
      [order.operatorId, kindsBeside(order.kind)],
      order.idempotencyKey,
      insert,
      order.accountId,
    );
    return { order: isNew ? withSeq(order, row) : this.order(row), isNew };
  }

  private insertIfFree(order: Order, withNonce: boolean, { companion, condition }: Insertion): Promise<Row[]> {
    return this.insertions.execute(
      sql`WITH moved AS (${insertion(order, null)} ${condition ? sql`FROM ${condition}` : empty}
            WHERE ${isNew(order)} ON CONFLICT DO NOTHING RETURNING account_id),
          oldest AS (${oldestUnresolved(sql`${order.accountId}`)})
          ${companion ? sql`, companion AS (${companion})` : empty}
          SELECT CASE WHEN ${withNonce} THEN allocate_nonce(moved.account_id, oldest.seq, ${MAX_UNRESOLVED_SPAN}) END AS seq
            FROM moved, oldest`,
      order.accountId,
    );
  }

  /** A nonce for an order of an account that is signed before it is stored. Undefined while too many nonces are unresolved. */
  async leaseNonce(accountId: string): Promise<bigint | undefined> {
    return this.nonces.take(accountId) ?? (await this.nonceStore.allocate(accountId));
  }

  /**
   * Inserts an order with its first attempt, or with the companion of its effects, submitted, and allocates the nonce of a later one.
   * Undefined if nothing was inserted: its
   * key is in use, or its nonce is not within the span that may be unresolved.
   *
   * The account's row is locked while its counter is compared with the nonce. So a nonce is at most `MAX_UNRESOLVED_SPAN` below the counter
   * when its order is stored, however long it was leased, and from then on the order bounds the counter.
   */
  async insertSigned(order: Order, { seq, transaction }: SignedOrder, effects: SideEffects, condition?: Sql): Promise<Order | undefined> {
    const { accountId } = order;
    const [nonce, now] = [seq.toString(), this.clock.now()];
    const before = sql`oldest AS (${oldestUnresolved(sql`${accountId}`)}),
      leased AS (${leaseNext(accountId, nonce, MAX_UNRESOLVED_SPAN, isNew(order))})`;
    // Not counted against the account's bounds if the nonce is not taken.
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
    return this.keys.mayHold([order.operatorId, kindsBeside(order.kind)], order);
  }

  /** Takes an order that failed, or lacked balance, up again under its id and its key. Undefined if another request did meanwhile. */
  async rerun(
    order: Order,
    { destination, destinationAccountId }: Pick<Order, 'destination' | 'destinationAccountId'>,
  ): Promise<Order | undefined> {
    const { id, finalAt } = order;
    await this.keys.releaseFor([order.operatorId, kindsBeside(order.kind)], order);
    const row = await runTransition(
      this.database,
      sql`UPDATE orders SET ${enter(ORDER_TRANSITIONS.rerun)}, rejection_reason = NULL, violation = NULL, failure = NULL, final_at = NULL,
                 ${UNAPPROVED}, active_idempotency_key = idempotency_key, destination = ${destination},
                 destination_account_id = ${destinationAccountId}, lease_until = ${this.lease.end()}
          WHERE id = ${id} AND ${leave(ORDER_TRANSITIONS.rerun)} AND final_at = ${finalAt}
            AND (status = 'failed' OR rejection_reason = 'insufficient_balance') RETURNING *`,
      {},
    );
    return row && this.order(row);
  }

  private keysFreeBefore(): Date {
    return new Date(this.clock.now().getTime() - this.config.IDEMPOTENCY_TTL_SECONDS * 1000);
  }

  private order(row: Row): Order {
    return hydrate(this.database, Order, row);
  }
}

function withSeq(order: Order, { seq }: Row): Order {
  return Object.assign(order, { seq: seq === null ? null : BigInt(String(seq)) });
}

/**
 * Whether no order has this one's id or key. Asked before a statement locks the account's row: with that lock it would wait for a transition of the
 * order that it conflicts with, which waits for the account's row in its turn.
 */
function isNew({ id, operatorId, kind, activeIdempotencyKey }: Order): Sql {
  return sql`NOT EXISTS (SELECT FROM orders AS known WHERE known.id = ${id})
    AND NOT EXISTS (SELECT FROM orders AS known WHERE known.operator_id = ${operatorId} AND known.kind IN (${words(kindsBeside(kind))})
                      AND known.active_idempotency_key = ${activeIdempotencyKey})`;
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
