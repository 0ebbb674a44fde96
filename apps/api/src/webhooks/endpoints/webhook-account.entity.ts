import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

/** An account whose events a webhook gets. Foreign keys ensure that both belong to the same operator. */
@Entity('webhook_accounts')
export class WebhookAccount {
  @PrimaryColumn('text')
  webhookId: string;

  @PrimaryColumn('text')
  accountId: string;

  @Column('text')
  operatorId: string;

  /** Its position in the list of the request, from 0. */
  @Column('smallint')
  position: number;

  /** The webhook, by the name of its entity, because an import would be a cycle. For TypeORM only. */
  @ManyToOne('Webhook', 'accounts')
  @JoinColumn({ name: 'webhook_id' })
  webhook: object;
}
