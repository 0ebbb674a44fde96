import { Column, Entity } from 'typeorm';
import { CreatedAtColumn, IdColumn } from '#database';

/** Who owns accounts and keys. Its chain key is the `operator` of its accounts on the chain: it alone changes limits. */
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

  /** The key that takes its place, while a rotation is under way: of each account the chain says which one it obeys. */
  @Column('text', { nullable: true })
  pendingChainKey: string | null;

  @Column('text', { nullable: true, select: false })
  pendingChainKeySealed: string | null;

  @CreatedAtColumn()
  createdAt: Date;
}
