import { Column, Entity } from 'typeorm';
import { CreatedAtColumn, IdColumn, MomentColumn } from '#database';

/**
 * The owner of accounts and API keys. Its chain key is the `operator` of its accounts on chain: only this key can change limits. The service
 * holds it, or the operator does, outside of the service.
 */
@Entity('operators')
export class Operator {
  @IdColumn()
  id: string;

  @Column('text')
  name: string;

  /** The public key, in base58. */
  @Column('text')
  chainKey: string;

  /** The seed, sealed under OPERATOR_KEY_ENCRYPTION_KEY for this row. Null if the key is held outside of the service. */
  @Column('text', { nullable: true, select: false })
  chainKeySealed: string | null;

  /** The text that the next external chain key signs to accept the accounts, until a moment. */
  @Column('text', { nullable: true })
  chainKeyChallenge: string | null;

  @MomentColumn({ nullable: true })
  chainKeyChallengeUntil: Date | null;

  /** The next chain key during a rotation. Each account on chain names the key that it obeys. */
  @Column('text', { nullable: true })
  pendingChainKey: string | null;

  /** The seed of the next chain key. Null if that key will be held outside. */
  @Column('text', { nullable: true, select: false })
  pendingChainKeySealed: string | null;

  /** The signature by which the next chain key accepts the accounts, if it will be held outside. */
  @Column('text', { nullable: true })
  pendingAcceptanceText: string | null;

  @Column('bytea', { nullable: true })
  pendingAcceptanceSignature: Buffer | null;

  @CreatedAtColumn()
  createdAt: Date;
}
