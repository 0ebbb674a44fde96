import { Body, Controller, Delete, Get, HttpCode, Post, VERSION_NEUTRAL } from '@nestjs/common';
import { Caller } from '../http/caller';
import { PushKeysService } from './push-keys.service';
import { PushSubscriptionsService } from './push-subscriptions.service';
import { PushEndpointDto, PushSubscriptionDto } from './push.dto';

/** The key that a browser subscribes with. */
interface PushKeyView {
  public_key: string;
}

/** Notifications of orders that wait for approval: turned on and off by a browser that shows the dashboard. */
@Controller({ path: 'dashboard/push', version: VERSION_NEUTRAL })
export class PushController {
  constructor(
    private readonly keys: PushKeysService,
    private readonly subscriptions: PushSubscriptionsService,
  ) {}

  @Get('key')
  async key(): Promise<PushKeyView> {
    return { public_key: (await this.keys.key()).publicKey };
  }

  @Post('subscriptions')
  @HttpCode(204)
  subscribe(@Body() dto: PushSubscriptionDto, @Caller() caller: Caller): Promise<void> {
    return this.subscriptions.subscribe(caller, dto);
  }

  @Delete('subscriptions')
  @HttpCode(204)
  unsubscribe(@Body() { endpoint }: PushEndpointDto, @Caller() { operatorId }: Caller): Promise<void> {
    return this.subscriptions.unsubscribe(operatorId, endpoint);
  }
}
