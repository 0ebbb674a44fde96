import { Column, Entity } from 'typeorm';
import { BigintColumn, CreatedAtColumn, IdColumn } from '#database';

/** Something that happened to an account, told in the transaction in which it happened. */
@Entity('events')
export class Event {
  @IdColumn()
  id: string;

  @Column('text')
  operatorId: string;

  @Column('text')
  accountId: string;

  /** Counts an account's events from 1, without a gap. */
  @BigintColumn()
  sequence: bigint;

  @Column('text')
  type: string;

  @Column('jsonb')
  data: Record<string, unknown>;

  @CreatedAtColumn()
  createdAt: Date;
}
