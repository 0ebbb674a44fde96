import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId } from '#database';
import { Clock } from '../runtime/clock';
import type { EventType } from './event-types';

/** What JSON can hold. A bigint is not among it: amounts are formatted first. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

export interface EventToRecord {
  operatorId: string;
  accountId: string;
  type: EventType;
  data: { [key: string]: Json };
  /** The only webhook that is told; without one, all that ask for such events are. */
  webhookId?: string;
}

export interface RecordedEvent {
  id: string;
  sequence: bigint;
  createdAt: Date;
}

/** Writes events down beside the facts that they tell: both commit, or neither does. */
@Injectable()
export class OutboxService {
  constructor(private readonly clock: Clock) {}

  /**
   * Records an event in the caller's transaction. The account's counter stays locked until that ends, which is what keeps
   * its sequence free of gaps: record last, and for several accounts in the order of their ids.
   */
  async record(manager: EntityManager, event: EventToRecord): Promise<RecordedEvent> {
    if (!manager.queryRunner?.isTransactionActive)
      throw new Error('An event is recorded in the transaction of its fact, and there is none.');
    const row = this.row(event);
    const [recorded]: { sequence: string }[] = await manager.query('SELECT record_event($1) AS sequence', [JSON.stringify(row)]);
    if (!recorded) throw new Error('The outbox returned no row.');
    return { id: row.id, sequence: BigInt(recorded.sequence), createdAt: row.created_at };
  }

  /** An event as the SQL function `record_event` takes it: for a statement that makes the fact and tells it at once. */
  row({ operatorId, accountId, type, data, webhookId }: EventToRecord) {
    const created_at = this.clock.now();
    return {
      id: newId('evt', created_at),
      operator_id: operatorId,
      account_id: accountId,
      type,
      data,
      created_at,
      webhook_id: webhookId ?? null,
    };
  }
}
