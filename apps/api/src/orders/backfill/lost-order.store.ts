import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, hydrate, type Row, type Sql, sql, tagIn } from '#database';
import { Clock } from '../../runtime/clock';
import { Config } from '../../runtime/config';
import { kindsBeside, Order } from '../order.entity';

/** The SQL of orders that were written from the chain, if a restored database had no row of them. */
@Injectable()
export class LostOrderStore {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** A backfilled order of an account whose id is within a range, final after a time. */
  async backfilledWithin([lowest, highest]: readonly [string, string], accountId: string): Promise<Order | undefined> {
    const [order] = await this.select(
      sql`SELECT * FROM orders WHERE id BETWEEN ${lowest} AND ${highest} AND account_id = ${accountId} AND source = 'backfill'
          AND status = 'settled' AND final_at > ${this.keysFreeBefore()} ORDER BY id LIMIT 1`,
    );
    return order;
  }

  /** Whether an operator has orders that were written from the chain and that no request has claimed, while their keys are kept. */
  async hasUnclaimed(operatorId: string): Promise<boolean> {
    const rows = await execute(
      this.database,
      sql`SELECT 1 FROM orders WHERE operator_id = ${operatorId} AND kind <> 'charge' AND ${this.isUnclaimed()} LIMIT 1`,
    );
    return rows.length > 0;
  }

  /** The order that was written from the chain and has the tag of this one. */
  async unclaimed({ id, operatorId, kind }: Order): Promise<Order | undefined> {
    const [order] = await this.select(
      sql`SELECT * FROM orders WHERE operator_id = ${operatorId} AND kind = ${kind} AND "right"(id, 12) = ${tagIn(id)}
          AND ${this.isUnclaimed()} ORDER BY id DESC LIMIT 1`,
    );
    return order;
  }

  /** Gives an unclaimed order the idempotency key of the request that asks for it again, and what only the request knows. */
  claim(lost: Order, { operatorId, kind, idempotencyKey, ...request }: Order, memoSalt: Buffer | null): Promise<Order | undefined> {
    return this.database.transaction(async (manager) => {
      // The row that holds the key failed, or was rejected, before the order landed under another id.
      await manager.query(
        `UPDATE orders SET active_idempotency_key = NULL
         WHERE operator_id = $1 AND kind = ANY($2) AND active_idempotency_key = $3 AND status IN ('failed', 'rejected')`,
        [operatorId, kindsBeside(kind), idempotencyKey],
      );
      const [rows]: [Row[], number] = await manager.query(
        `UPDATE orders SET idempotency_key = $2, active_idempotency_key = $2, request_hash = $3, recipient = $4, memo = $5, memo_salt = $6,
                reference = $7, metadata = $8, created_by = $9
         WHERE id = $1 AND idempotency_key IS NULL AND NOT EXISTS (
           SELECT 1 FROM orders WHERE operator_id = $10 AND kind = ANY($11) AND active_idempotency_key = $2)
         RETURNING *`,
        [
          lost.id,
          idempotencyKey,
          request.requestHash,
          request.recipient,
          request.memo,
          memoSalt,
          request.reference,
          JSON.stringify(request.metadata),
          request.createdBy,
          operatorId,
          kindsBeside(kind),
        ],
      );
      return rows[0] && this.order(rows[0]);
    });
  }

  /** Whether an order has settled by a transaction. */
  async isSettledBy(signature: string): Promise<boolean> {
    return (await execute(this.database, sql`SELECT 1 FROM orders WHERE signature = ${signature}`)).length > 0;
  }

  private async select(statement: Sql): Promise<Order[]> {
    return (await execute(this.database, statement)).map((row) => this.order(row));
  }

  private order(row: Row): Order {
    return hydrate(this.database, Order, row);
  }

  private isUnclaimed(): Sql {
    return sql`source = 'backfill' AND idempotency_key IS NULL AND status = 'settled' AND final_at > ${this.keysFreeBefore()}`;
  }

  private keysFreeBefore(): Date {
    return new Date(this.clock.now().getTime() - this.config.IDEMPOTENCY_TTL_SECONDS * 1000);
  }
}
