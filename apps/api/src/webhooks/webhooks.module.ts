import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EgressClient } from '../egress/egress-client';
import { EventsModule } from '../events';
import { AuditModule } from '../audit';
import { KeysModule } from '../keys';
import { JobsModule } from '../jobs/jobs.module';
import { SecretsModule } from '../secrets';
import { DeliveriesController } from './deliveries.controller';
import { DeliveriesService } from './deliveries.service';
import { DeliveryDispatcher } from './delivery-dispatcher';
import { DeliveryQueue } from './delivery-queue';
import { DeliverySender } from './delivery-sender';
import { FanOut } from './fan-out';
import { LowBalancesService } from './low-balances.service';
import { RetentionService } from './retention.service';
import { WebhookFleet } from './webhook-fleet.entity';
import { WebhookAccount } from './webhook-account.entity';
import { Webhook } from './webhook.entity';
import { WebhooksController } from './webhooks.controller';
import { WaitingDeliveriesMetrics } from './waiting-deliveries';
import { WebhookHealth } from './webhook-health';
import { WebhooksService } from './webhooks.service';

/** Webhooks: endpoints, deliveries of events, and low balances. */
@Module({
  imports: [
    TypeOrmModule.forFeature([Webhook, WebhookAccount, WebhookFleet]),
    SecretsModule,
    AuditModule,
    KeysModule,
    EventsModule,
    JobsModule,
  ],
  controllers: [WebhooksController, DeliveriesController],
  providers: [
    WebhooksService,
    WebhookHealth,
    DeliveriesService,
    FanOut,
    DeliveryQueue,
    DeliverySender,
    DeliveryDispatcher,
    LowBalancesService,
    RetentionService,
    WaitingDeliveriesMetrics,
    EgressClient,
  ],
  exports: [WebhookHealth, LowBalancesService],
})
export class WebhooksModule {}
