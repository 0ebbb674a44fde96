import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, hydrate, type Row, type Sql, sql, words } from '#database';
import { mergedList, type MergedList, partsBy } from '../../persistence/merged-list';
import { kindsBeside, Order } from '../order.entity';
import type { OrderStatus } from '../order.states';

/** The parts of a list with a filter: filters have an index of final orders, and the few others one of their own. */
export const FINAL_AND_OPEN = [sql`final_at IS NOT NULL`, sql`final_at IS NULL`] as const;

/** The parts of the orders with an idempotency key: the one that holds it, and those that have held it. */
export function partsOfKey(key: string): Sql[] {
  return [sql`active_idempotency_key = ${key}`, sql`active_idempotency_key IS NULL AND idempotency_key = ${key}`];
}

/** The filters of a list of orders. */
export interface OrderList extends Pick<MergedList, 'operatorId' | 'accountIds' | 'filters' | 'isRare' | 'limit'> {
  parts: readonly Sql[];
}

/** The lists of orders. */
@Injectable()
export class OrderLists {
  constructor(@InjectDataSource() private readonly database: DataSource) {}

  /** A page of orders, newest first. */
  async list(list: OrderList): Promise<Order[]> {
    const { text, values } = mergedList({ table: 'orders', ...list });
    const rows: Row[] = await this.database.query(text, values);
    return rows.map((row) => hydrate(this.database, Order, row));
  }

  /** How many final transfers of an operator are of at least an amount, at most `limit`. */
  async countFrom(operatorId: string, microUsdc: bigint, limit: number): Promise<number> {
    const [row] = await execute(
      this.database,
      sql`SELECT count(*)::int AS count FROM (
            SELECT 1 FROM orders WHERE operator_id = ${operatorId} AND kind = 'transfer' AND final_at IS NOT NULL
            AND micro_usdc >= ${microUsdc.toString()} LIMIT ${limit}) AS matching`,
    );
    return Number(row?.count);
  }

  /**
   * A page of the ids of an operator's openings of a kind that were asked for, in some statuses, newest first. A session or a purse has the
   * id of its opening.
   */
  async openingIds(
    {
      kind,
      operatorId,
      accountIds,
      statuses,
    }: { kind: 'session' | 'purse'; operatorId: string; accountIds: readonly string[] | null; statuses: OrderStatus[] },
    { before, limit }: { before: string | undefined; limit: number },
  ): Promise<string[]> {
    const { text, values } = mergedList({
      table: 'orders',
      columns: ['id'],
      operatorId,
      accountIds,
      filters: [
        sql`kind IN (${words(kindsBeside(kind))}) AND idempotency_key IS NOT NULL`,
        ...(before === undefined ? [] : [sql`id < ${before}`]),
      ],
      parts: partsBy('status', statuses),
      limit,
    });
    const rows: Row[] = await this.database.query(text, values);
    return rows.map(({ id }) => String(id));
  }
}
