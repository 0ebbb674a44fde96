import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId } from '#database';
import { Clock } from '../clock';

/** The events of the contract. */
export type EventType =
  | 'transfer.initiated'
  | 'transfer.settled'
  | 'transfer.rejected'
  | 'session.opened'
  | 'session.cap_warning'
  | 'session.cap_reached'
  | 'session.settled'
  | 'balance.low_threshold'
  | 'escalation.required';

/** What JSON can hold. A bigint is not among it: amounts are formatted first. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

export interface EventToRecord {
  operatorId: string;
  accountId: string;
  type: EventType;
  data: { [key: string]: Json };
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
  async record(manager: EntityManager, { operatorId, accountId, type, data }: EventToRecord): Promise<RecordedEvent> {
    if (!manager.queryRunner?.isTransactionActive) throw new Error('An event is recorded in the transaction of its fact, and there is none.');
    const createdAt = this.clock.now();
    const id = newId('evt', createdAt);
    const [row]: { sequence: string }[] = await manager.query(
      `WITH counter AS (
         INSERT INTO event_counters AS counter (account_id, last_sequence) VALUES ($3, 1)
         ON CONFLICT (account_id) DO UPDATE SET last_sequence = counter.last_sequence + 1 RETURNING last_sequence
       )
       INSERT INTO events (id, operator_id, account_id, sequence, type, data, created_at)
       SELECT $1, $2, $3, last_sequence, $4, $5, $6 FROM counter RETURNING sequence`,
      [id, operatorId, accountId, type, JSON.stringify(data), createdAt],
    );
    if (!row) throw new Error('The outbox returned no row.');
    return { id, sequence: BigInt(row.sequence), createdAt };
  }
}
