import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { Answers } from '../http/answers';
import { Caller } from '../http/caller';
import { NoFields } from '../http/validation/no-fields';
import type { Page } from '../lists/pages';
import { ListDeliveriesQuery, type DeliveryView } from './deliveries/deliveries.dto';
import { DeliveriesService, type RetriedView } from './deliveries/deliveries.service';
import type { EventView } from '../events';
import {
  ChangeWebhookDto,
  CreateWebhookDto,
  ListWebhooksQuery,
  ReplayWebhookDto,
  type NewWebhookView,
  type WebhookView,
} from './webhooks.dto';
import { WebhooksService } from './webhooks.service';

const SENT_MESSAGE = 'It is being sent: GET /v1/webhooks/:id/deliveries shows each attempt and its answer.';

/** Webhooks: register, change, delete, test, and their deliveries. */
@Controller('webhooks')
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: DeliveriesService,
  ) {}

  /** Registers a webhook. The response contains its `secret`. */
  @Post()
  @HttpCode(201)
  @Answers({ errors: ['conflict'] })
  create(@Body() wanted: CreateWebhookDto, @Caller() caller: Caller): Promise<NewWebhookView> {
    return this.webhooks.create(caller, wanted);
  }

  /** Lists the webhooks. */
  @Get()
  list(@Query() query: ListWebhooksQuery, @Caller() caller: Caller): Promise<Page<WebhookView>> {
    return this.webhooks.list(caller.operatorId, query);
  }

  /** Returns a webhook. */
  @Get(':id')
  get(@Param('id') id: string, @Caller() caller: Caller): Promise<WebhookView> {
    return this.webhooks.get(caller.operatorId, id);
  }

  /** Changes a webhook. */
  @Patch(':id')
  change(@Param('id') id: string, @Body() change: ChangeWebhookDto, @Caller() caller: Caller): Promise<WebhookView> {
    return this.webhooks.change(caller, id, change);
  }

  /** Deletes a webhook. */
  @Delete(':id')
  @HttpCode(204)
  remove(@Param('id') id: string, @Caller() caller: Caller): Promise<void> {
    return this.webhooks.remove(caller, id);
  }

  /** Gives a webhook a new secret. For 24 hours the old one signs too. */
  @Post(':id/rotate_secret')
  @HttpCode(200)
  rotateSecret(@Param('id') id: string, @NoFields() _none: void, @Caller() caller: Caller): Promise<NewWebhookView> {
    return this.webhooks.rotateSecret(caller, id);
  }

  /** Sends a `webhook.test` event to a webhook, whatever it subscribes to. */
  @Post(':id/test')
  @HttpCode(202)
  @Answers({ errors: ['conflict'] })
  async test(@Param('id') id: string, @NoFields() _none: void, @Caller() caller: Caller): Promise<EventView & { message: string }> {
    return { ...(await this.webhooks.test(caller.operatorId, id)), message: SENT_MESSAGE };
  }

  /** Lists the deliveries of a webhook. */
  @Get(':id/deliveries')
  listDeliveries(@Param('id') id: string, @Query() query: ListDeliveriesQuery, @Caller() caller: Caller): Promise<Page<DeliveryView>> {
    return this.deliveries.list(caller.operatorId, id, query);
  }

  /** Makes every delivery of a webhook that waits for its next attempt due now. */
  @Post(':id/retry')
  @HttpCode(202)
  @Answers({ errors: ['conflict'] })
  retry(@Param('id') id: string, @NoFields() _none: void, @Caller() caller: Caller): Promise<RetriedView> {
    return this.deliveries.retry(caller.operatorId, id);
  }

  /** Sends all undelivered events of a webhook again. */
  @Post(':id/replay')
  @HttpCode(202)
  async replay(
    @Param('id') id: string,
    @Body() { since }: ReplayWebhookDto,
    @Caller() caller: Caller,
  ): Promise<{ replayed: number; message: string }> {
    return { ...(await this.deliveries.replayAll(caller.operatorId, id, since ? new Date(since) : null)), message: SENT_MESSAGE };
  }
}
