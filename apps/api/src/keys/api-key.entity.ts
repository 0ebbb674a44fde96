import { Column, Entity, OneToMany } from 'typeorm';
import { CreatedAtColumn, IdColumn, MomentColumn } from '#database';
import { ApiKeyAccount } from './api-key-account.entity';

export type ApiKeyType = 'operator' | 'agent';

/** A key to the API. The secret itself is shown once and kept nowhere: only its hash is. */
@Entity('api_keys')
export class ApiKey {
  @IdColumn()
  id: string;

  @Column('text')
  operatorId: string;

  @Column('text')
  type: ApiKeyType;

  @Column('text', { nullable: true })
  name: string | null;

  /** The secret's first characters: to find it by, and for people to tell keys apart. */
  @Column('text')
  prefix: string;

  /** SHA-256 of the whole secret, which is random enough to need nothing slower. */
  @Column('bytea')
  hash: Buffer;

  @MomentColumn({ nullable: true })
  expiresAt: Date | null;

  @MomentColumn({ nullable: true })
  lastUsedAt: Date | null;

  @MomentColumn({ nullable: true })
  revokedAt: Date | null;

  @CreatedAtColumn()
  createdAt: Date;

  @OneToMany(
    () => ApiKeyAccount,
    (account) => account.key,
    { cascade: ['insert'] },
  )
  accounts: ApiKeyAccount[];
}
