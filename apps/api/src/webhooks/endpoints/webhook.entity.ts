import { Column, Entity, OneToMany } from 'typeorm';
import { CreatedAtColumn, IdColumn, MicroUsdcColumn, MomentColumn } from '#database';
import type { EventType } from '../../events';
import { WebhookFleet } from './webhook-fleet.entity';
import { WebhookAccount } from './webhook-account.entity';

/** An endpoint that events are delivered to. */
@Entity('webhooks')
export class Webhook {
  @IdColumn()
  id: string;

  @Column('text')
  operatorId: string;

  /** The encrypted URL: it may carry a token. */
  @Column('text')
  urlSealed: string;

  /** The event types that it gets; empty means all. */
  @Column('text', { array: true })
  events: EventType[];

  /** Whether it gets the events of all accounts, else of those in `accounts`, and of `fleets` and their members. */
  @Column('boolean')
  allAccounts: boolean;

  /** In micro-USDC. `balance.low_threshold` is recorded when a balance falls below it. */
  @MicroUsdcColumn({ nullable: true })
  lowBalanceThreshold: bigint | null;

  /** When the threshold was set. Earlier transactions do not count for it. */
  @MomentColumn()
  thresholdSince: Date;

  /** The deliveries of a paused webhook wait. A deleted one remains as a tombstone until its deliveries are deleted. */
  @Column('text')
  status: 'active' | 'paused' | 'deleted';

  /** The signing secret, sealed under KEY_ENCRYPTION_KEY for this row. */
  @Column('text', { nullable: true, select: false })
  secretSealed: string | null;

  /** The previous secret, which also signs until `previousSecretUntil`. */
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

  @OneToMany(
    () => WebhookFleet,
    (fleet) => fleet.webhook,
  )
  fleets: WebhookFleet[];
}
