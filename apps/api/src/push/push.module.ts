import { Module } from '@nestjs/common';
import { EgressClient } from '../egress/egress-client';
import { JobsModule } from '../jobs/jobs.module';
import { KeysModule } from '../keys';
import { SecretsModule } from '../secrets';
import { PushKeysService } from './push-keys.service';
import { PushMessagesStore } from './sending/push-messages.store';
import { PushSender } from './sending/push-sender';
import { PushSubscriptionsService } from './push-subscriptions.service';
import { PushController } from './push.controller';
import { PushJob } from './sending/push.job';

/** Notifications of orders that wait for approval, in the browsers of operators (Web Push). */
@Module({
  imports: [SecretsModule, KeysModule, JobsModule],
  controllers: [PushController],
  providers: [PushKeysService, PushSubscriptionsService, PushMessagesStore, PushSender, PushJob, EgressClient],
})
export class PushModule {}
