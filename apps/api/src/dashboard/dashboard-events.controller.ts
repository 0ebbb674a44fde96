import { Controller, Get, Req, Res, VERSION_NEUTRAL } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Public } from '../http/access';
import { DashboardEventsService } from './dashboard-events.service';

/** Tells the page that something changed. An EventSource sends no header of its own, so the cookie alone speaks here: nothing changes by it, and no other site can read the answer. */
@Public()
@Controller({ path: 'dashboard/events', version: VERSION_NEUTRAL })
export class DashboardEventsController {
  constructor(private readonly events: DashboardEventsService) {}

  @Get()
  listen(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.events.listen(request, response);
  }
}
