import { Column, Entity, PrimaryColumn } from 'typeorm';
import { BigintColumn, MomentColumn } from '#database';

/** One signed transaction of an order. Stored before it is sent and never overwritten: after a crash the same bytes are sent again. */
@Entity('order_attempts')
export class Attempt {
  @PrimaryColumn('text')
  signature: string;

  @Column('text')
  orderId: string;

  @BigintColumn()
  seq: bigint;

  @Column('bytea')
  bytes: Buffer;

  /** Above this block height it can no longer land. */
  @BigintColumn()
  lastValidBlockHeight: bigint;

  /** The cost for the fee payer once it lands, in lamports. Null in a row from before it was stored. */
  @BigintColumn({ nullable: true })
  feeLamports: bigint | null;

  @MomentColumn()
  createdAt: Date;
}
