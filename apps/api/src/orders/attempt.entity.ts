import { Column, Entity, PrimaryColumn } from 'typeorm';
import { BigintColumn, MomentColumn } from '#database';

/** The signed bytes of one try, kept before they are sent and never overwritten: after a crash we resend, and never sign blindly. */
@Entity('transfer_attempts')
export class Attempt {
  @PrimaryColumn('text')
  signature: string;

  @Column('text')
  transferId: string;

  @BigintColumn()
  seq: bigint;

  @Column('bytea')
  bytes: Buffer;

  /** Above this block height it can no longer land. */
  @BigintColumn()
  lastValidBlockHeight: bigint;

  @MomentColumn()
  createdAt: Date;
}
