import { Column, Entity } from 'typeorm';
import { CreatedAtColumn, IdColumn } from '#database';

/** The owner of accounts and API keys. Its chain key is the `operator` of its accounts on chain: only this key can change limits. */
@Entity('operators')
export class Operator {
  @IdColumn()
  id: string;

  @Column('text')
  name: string;

  /** The public key, in base58. */
  @Column('text')
  chainKey: string;

  /** The seed, sealed under OPERATOR_KEY_ENCRYPTION_KEY for this row. */
  @Column('text', { select: false })
  chainKeySealed: string;

  /** The next chain key during a rotation. Each account on chain names the key that it obeys. */
  @Column('text', { nullable: true })
  pendingChainKey: string | null;

  @Column('text', { nullable: true, select: false })
  pendingChainKeySealed: string | null;

  @CreatedAtColumn()
  createdAt: Date;
}
