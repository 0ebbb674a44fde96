import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, hydrate, type Sql, sql } from '#database';
import { Clock } from '../../runtime/clock';
import { Order, type OrderKind } from '../order.entity';
import { type Keyed, OrderInsertions } from './order-insertions';
import { IS_UNRESOLVED, OrderStore } from './order.store';

/** Finds orders. Changes nothing. */
@Injectable()
export class OrderReader {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly store: OrderStore,
    private readonly insertions: OrderInsertions,
  ) {}

  /** @throws Error if the order does not exist. */
  find(id: string): Promise<Order> {
    return this.store.find(id);
  }

  findIfStored(id: string): Promise<Order | undefined> {
    return this.store.findIfStored(id);
  }

  /** The order that holds an idempotency key now, against requests of an account. */
  findByKey(keyed: Keyed, key: string): Promise<Order | undefined> {
    return this.insertions.findByKey(keyed, key);
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

  /** The ids of orders created before a time that are unresolved. Orders that wait for an approval are not among them. */
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

  private async select(statement: Sql): Promise<Order[]> {
    return (await execute(this.database, statement)).map((row) => hydrate(this.database, Order, row));
  }
}
