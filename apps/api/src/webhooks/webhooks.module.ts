import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OutsideHttp } from '../egress/egress-client';
import { KeysModule } from '../keys/keys.module';
import { SweepsModule } from '../jobs/jobs.module';
import { DeliveriesController } from './deliveries.controller';
import { DeliveriesService } from './deliveries.service';
import { DeliveryLoopService } from './delivery-loop.service';
import { DeliveryQueue } from './delivery-queue';
import { DeliverySender } from './delivery-sender';
import { Event } from '../events/event.entity';
import { EventsController } from '../events/events.controller';
import { EventsService } from '../events/events.service';
import { FanOut } from './fan-out';
import { LowBalancesService } from './low-balances.service';
import { OutboxService } from '../events/outbox.service';
import { RetentionService } from './retention.service';
import { WebhookAccount } from './webhook-account.entity';
import { Webhook } from './webhook.entity';
import { WebhooksController } from './webhooks.controller';
import { WebhooksService } from './webhooks.service';

/** What the service tells the outside: events, written with their facts, and the webhooks that they are delivered to. */
@Module({
  imports: [TypeOrmModule.forFeature([Event, Webhook, WebhookAccount]), KeysModule, SweepsModule],
  controllers: [WebhooksController, DeliveriesController, EventsController],
  providers: [
    OutboxService,
    EventsService,
    WebhooksService,
    DeliveriesService,
    FanOut,
    DeliveryQueue,
    DeliverySender,
    DeliveryLoopService,
    LowBalancesService,
    RetentionService,
    OutsideHttp,
  ],
  exports: [OutboxService, LowBalancesService],
})
export class WebhooksModule {}
