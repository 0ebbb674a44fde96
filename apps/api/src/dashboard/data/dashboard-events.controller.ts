import { Controller, Get, Req, Res, VERSION_NEUTRAL } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Public } from '../../http/access';
import { DashboardEventsService } from './dashboard-events.service';

/**
 * Notifies the dashboard of changes. An EventSource cannot send the page's header, so the cookie alone authenticates this route. That is
 * safe, because it changes nothing and no other origin can read the response.
 */
@Public()
@Controller({ path: 'dashboard/events', version: VERSION_NEUTRAL })
export class DashboardEventsController {
  constructor(private readonly events: DashboardEventsService) {}

  @Get()
  listen(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.events.listen(request, response);
  }
}
