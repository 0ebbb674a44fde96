import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

/** An account that a webhook is told of. Foreign keys hold both to the same operator. */
@Entity('webhook_accounts')
export class WebhookAccount {
  @PrimaryColumn('text')
  webhookId: string;

  @PrimaryColumn('text')
  accountId: string;

  @Column('text')
  operatorId: string;

  /** Its place in the list as it was given, from 0. */
  @Column('smallint')
  position: number;

  /** The webhook, by the name of its entity: an import back would be a cycle. Nobody reads it from here. */
  @ManyToOne('Webhook', 'accounts')
  @JoinColumn({ name: 'webhook_id' })
  webhook: object;
}
