import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId } from '#database';
import { Clock } from '../runtime/clock';
import { currentTraceparent } from '../runtime/observability/tracing';
import type { EventData } from './event-data';
import type { EventType } from './event-types';

/** An event to be recorded, with the data of its type. Amounts are bigint and must be formatted first. */
export type EventToRecord = { [Type in EventType]: EventOf<Type> }[EventType];

interface EventOf<Type extends EventType> {
  operatorId: string;
  /** Null for an event of the operator, or of a fleet. */
  accountId: string | null;
  /** The fleet that an event without an account belongs to. */
  fleetId?: string;
  type: Type;
  data: EventData[Type];
  /** The only webhook that gets the event. Omitted: all that subscribe to it. */
  webhookId?: string;
}

export interface RecordedEvent {
  id: string;
  sequence: bigint;
  createdAt: Date;
}

/** The outbox: records an event in the transaction of the change that it reports, so that both commit or neither does. */
@Injectable()
export class OutboxService {
  constructor(private readonly clock: Clock) {}

  /**
   * Records an event in the caller's transaction. The counter of the account, or of the operator, stays locked until the transaction ends,
   * which keeps its sequence
   * free of gaps. Record last, and for several accounts in the order of their ids. @throws Error outside a transaction.
   */
  async record(manager: EntityManager, event: EventToRecord): Promise<RecordedEvent> {
    if (!manager.queryRunner?.isTransactionActive)
      throw new Error('An event is recorded in the transaction of its change, and there is none.');
    const row = this.row(event);
    const [recorded]: { sequence: string }[] = await manager.query('SELECT record_event($1) AS sequence', [JSON.stringify(row)]);
    if (!recorded) throw new Error('The outbox returned no row.');
    return { id: row.id, sequence: BigInt(recorded.sequence), createdAt: row.created_at };
  }

  /** An event in the form of the SQL function `record_event`, for a statement that makes the change and records its event. */
  row({ operatorId, accountId, fleetId, type, data, webhookId }: EventToRecord) {
    const [created_at, traceparent] = [this.clock.now(), currentTraceparent()];
    return {
      id: newId('evt', created_at),
      operator_id: operatorId,
      account_id: accountId,
      ...(fleetId !== undefined && { fleet_id: fleetId }),
      type,
      data,
      created_at,
      webhook_id: webhookId ?? null,
      ...(traceparent !== null && { traceparent }),
    };
  }
}
