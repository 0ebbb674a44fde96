import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EgressClient } from '../egress/egress-client';
import { EventsModule } from '../events';
import { AuditModule } from '../audit';
import { KeysModule } from '../keys';
import { JobsModule } from '../jobs/jobs.module';
import { SecretsModule } from '../secrets';
import { DeliveriesController } from './deliveries/deliveries.controller';
import { DeliveriesService } from './deliveries/deliveries.service';
import { DeliveryDispatcher } from './deliveries/delivery-dispatcher';
import { DeliveryQueue } from './deliveries/delivery-queue';
import { DeliverySender } from './deliveries/delivery-sender';
import { FanOut } from './deliveries/fan-out';
import { LowBalancesService } from './low-balances.service';
import { RetentionService } from './retention.service';
import { WebhookFleet } from './endpoints/webhook-fleet.entity';
import { WebhookAccount } from './endpoints/webhook-account.entity';
import { Webhook } from './endpoints/webhook.entity';
import { WebhooksController } from './webhooks.controller';
import { WaitingDeliveriesMetrics } from './deliveries/waiting-deliveries';
import { WebhookHealth } from './endpoints/webhook-health';
import { WebhookSeals } from './endpoints/webhook-seals';
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
    WebhookSeals,
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
