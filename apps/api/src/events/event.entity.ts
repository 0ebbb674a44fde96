import { Column, Entity } from 'typeorm';
import { BigintColumn, CreatedAtColumn, IdColumn } from '#database';

/** Something that happened to an account, told in the transaction in which it happened. */
@Entity('events')
export class Event {
  @IdColumn()
  id: string;

  @Column('text')
  operatorId: string;

  /** Null only for the test of a webhook, which happened to no account. */
  @Column('text', { nullable: true })
  accountId: string | null;

  /** Counts an account's events from 1, without a gap. */
  @BigintColumn({ nullable: true })
  sequence: bigint | null;

  @Column('text')
  type: string;

  @Column('jsonb')
  data: Record<string, unknown>;

  @CreatedAtColumn()
  createdAt: Date;

  /** The only webhook that is told, where it is not everyone's event. */
  @Column('text', { nullable: true })
  webhookId: string | null;
}
