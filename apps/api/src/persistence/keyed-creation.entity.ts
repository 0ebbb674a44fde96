import { Column } from 'typeorm';
import { MomentColumn } from '#database';

/** The columns of what a request with an `Idempotency-Key` creates. */
export abstract class KeyedCreation {
  /** The `Idempotency-Key` of the creation while it is in use. */
  @Column('text', { nullable: true })
  creationKey: string | null;

  /** The hash of the request that the key came with. */
  @Column('bytea', { nullable: true })
  creationHash: Buffer | null;

  /** Until then the key is in use. */
  @MomentColumn({ nullable: true })
  creationKeyUntil: Date | null;
}
