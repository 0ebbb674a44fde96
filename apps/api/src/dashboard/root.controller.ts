import { Controller, Get, Req, Res, VERSION_NEUTRAL } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Public } from '../http/access';
import { NotFound } from '../http/domain.errors';

/** Sends a browser that opens the base address to the dashboard. */
@Public()
@Controller({ path: '', version: VERSION_NEUTRAL })
export class RootController {
  /** @throws NotFound for a client that does not ask for HTML. */
  @Get()
  redirect(@Req() request: Request, @Res() response: Response): void {
    response.vary('Accept');
    // A client without a preference accepts everything, and gets JSON.
    if (request.accepts(['json', 'html']) !== 'html')
      throw new NotFound('There is no such route. /llms.txt describes this service, and /openapi.json its API.');
    response.redirect(302, '/dashboard');
  }
}
