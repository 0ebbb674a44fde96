import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

/** A fleet whose events, and those of its members, a webhook gets. Foreign keys ensure that both belong to the same operator. */
@Entity('webhook_fleets')
export class WebhookFleet {
  @PrimaryColumn('text')
  webhookId: string;

  @PrimaryColumn('text')
  fleetId: string;

  @Column('text')
  operatorId: string;

  /** Its position in the list of the request, from 0. */
  @Column('smallint')
  position: number;

  /** The webhook, by the name of its entity, because an import would be a cycle. For TypeORM only. */
  @ManyToOne('Webhook', 'fleets')
  @JoinColumn({ name: 'webhook_id' })
  webhook: object;
}
