import { Column, Entity, OneToMany } from 'typeorm';
import { CreatedAtColumn, IdColumn, MomentColumn } from '#database';
import { ApiKeyFleet } from './api-key-fleet.entity';
import { ApiKeyAccount } from './api-key-account.entity';

export type ApiKeyType = 'operator' | 'agent';

/** An API key. The secret is shown once, and only its hash is stored. */
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

  /** The secret's first characters, by which it is found and people recognize it. */
  @Column('text')
  prefix: string;

  /** SHA-256 of the whole secret. The secret has 256 random bits, so a slow hash is not needed. */
  @Column('bytea')
  hash: Buffer;

  /** The hosts that an agent key may pay; null for all. Enforced by the service. */
  @Column('text', { array: true, nullable: true })
  allowedHosts: string[] | null;

  /** The message authentication code of what the key may do; null for a key from before there were codes. */
  @Column('bytea', { nullable: true })
  mac: Buffer | null;

  @MomentColumn({ nullable: true })
  expiresAt: Date | null;

  @MomentColumn({ nullable: true })
  lastUsedAt: Date | null;

  /** An address that it was used from, noted at most once an hour. */
  @Column('text', { nullable: true })
  lastUsedIp: string | null;

  /** When that address was noted. */
  @MomentColumn({ nullable: true })
  lastUsedIpAt: Date | null;

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

  @OneToMany(
    () => ApiKeyFleet,
    (fleet) => fleet.key,
    { cascade: ['insert'] },
  )
  fleets: ApiKeyFleet[];
}
