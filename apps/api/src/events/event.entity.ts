import { Column, Entity } from 'typeorm';
import { BigintColumn, CreatedAtColumn, IdColumn } from '#database';

/** An event of an account, or of an operator, written in the statement that makes the change it reports. */
@Entity('events')
export class Event {
  @IdColumn()
  id: string;

  @Column('text')
  operatorId: string;

  /** Null for an event of the operator or of a fleet, and for `webhook.test`. */
  @Column('text', { nullable: true })
  accountId: string | null;

  /** The fleet that it belongs to, or that its account was in. */
  @Column('text', { nullable: true })
  fleetId: string | null;

  /** The number of the event among its account's, or its operator's, from 1 without gaps. Null for `webhook.test`. */
  @BigintColumn({ nullable: true })
  sequence: bigint | null;

  @Column('text')
  type: string;

  @Column('jsonb')
  data: Record<string, unknown>;

  @CreatedAtColumn()
  createdAt: Date;

  /** The only webhook that gets the event; null for all that subscribe to it. */
  @Column('text', { nullable: true })
  webhookId: string | null;

  /** The trace that the event's change was part of, as the header `traceparent` names it; null outside of a trace. */
  @Column('text', { nullable: true })
  traceparent: string | null;
}
