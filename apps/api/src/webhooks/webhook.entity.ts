import { Column, Entity, OneToMany } from 'typeorm';
import { CreatedAtColumn, IdColumn, MicroUsdcColumn, MomentColumn } from '#database';
import type { EventType } from '../events';
import { WebhookAccount } from './webhook-account.entity';

/** An address that is told of events. */
@Entity('webhooks')
export class Webhook {
  @IdColumn()
  id: string;

  @Column('text')
  operatorId: string;

  @Column('text')
  url: string;

  /** The types it is told of; none means all. */
  @Column('text', { array: true })
  events: EventType[];

  /** Whether it is told of every account; else of those in `accounts`. */
  @Column('boolean')
  allAccounts: boolean;

  /** An account whose balance falls below this many micro-USDC is told as `balance.low_threshold`. */
  @MicroUsdcColumn({ nullable: true })
  lowBalanceThreshold: bigint | null;

  /** Since when the threshold is what it is: what moved earlier crossed another one, or none. */
  @MomentColumn()
  thresholdSince: Date;

  /** A paused one keeps its deliveries waiting. A deleted one stays as a tombstone, for its deliveries to be purged by. */
  @Column('text')
  status: 'active' | 'paused' | 'deleted';

  /** The secret that signs, sealed under KEY_ENCRYPTION_KEY for this row. */
  @Column('text', { nullable: true, select: false })
  secretSealed: string | null;

  /** The secret before it, which signs beside it until `previousSecretUntil`. */
  @Column('text', { nullable: true, select: false })
  previousSecretSealed: string | null;

  @MomentColumn({ nullable: true })
  previousSecretUntil: Date | null;

  @CreatedAtColumn()
  createdAt: Date;

  @OneToMany(
    () => WebhookAccount,
    (account) => account.webhook,
    { cascade: ['insert'] },
  )
  accounts: WebhookAccount[];
}
