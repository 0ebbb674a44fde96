import { Injectable } from '@nestjs/common';
import type { Order, OrderKind } from '../order.entity';
import { type Keyed, OrderInsertions } from './order-insertions';
import { OrderStore } from './order.store';

/** Finds orders. Changes nothing. */
@Injectable()
export class OrderReader {
  constructor(
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

  /** The oldest order of a session and a kind that waits for approval. */
  waitingOf(session: { id: string; accountId: string }, kind: OrderKind): Promise<Order | undefined> {
    return this.store.waitingOf(session, kind);
  }

  /** Whether an account has orders that are not final. */
  hasOpen(accountId: string): Promise<boolean> {
    return this.store.hasOpen(accountId);
  }

  /** The ids of orders created before a time that are unresolved. Orders that wait for an approval are not among them. */
  unresolvedBefore(createdBefore: Date): Promise<string[]> {
    return this.store.unresolvedBefore(createdBefore);
  }
}
