import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { Answers } from '../../http/answers';
import { Caller } from '../../http/caller';
import { NoFields } from '../../http/validation/no-fields';
import type { DeliveryView } from './deliveries.dto';
import { DeliveriesService } from './deliveries.service';

/** Single deliveries. The list of a webhook's deliveries is a route of webhooks. */
@Controller('deliveries')
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveriesService) {}

  /** Returns a delivery with its latest attempts. */
  @Get(':id')
  get(@Param('id') id: string, @Caller() caller: Caller): Promise<DeliveryView> {
    return this.deliveries.get(caller.operatorId, id);
  }

  /** Makes the attempt of a delivery that waits now, in place of the scheduled one. */
  @Post(':id/send')
  @HttpCode(202)
  @Answers({ errors: ['conflict'] })
  send(@Param('id') id: string, @NoFields() _none: void, @Caller() caller: Caller): Promise<DeliveryView> {
    return this.deliveries.send(caller.operatorId, id);
  }

  /** Sends a delivery again. */
  @Post(':id/replay')
  @HttpCode(202)
  @Answers({ errors: ['conflict'] })
  async replay(@Param('id') id: string, @NoFields() _none: void, @Caller() caller: Caller): Promise<DeliveryView & { message: string }> {
    return {
      ...(await this.deliveries.replay(caller.operatorId, id)),
      message: 'It is being sent again: GET /v1/deliveries/:id shows the attempt.',
    };
  }
}
