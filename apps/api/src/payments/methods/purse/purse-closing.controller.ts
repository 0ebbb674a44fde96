import { Controller, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { AgentAllowed } from '../../../http/access';
import { Answers } from '../../../http/answers';
import { Caller } from '../../../http/caller';
import { NoFields } from '../../../http/validation/no-fields';
import { PurseNotOpen, PursesService, type PurseView } from '../../../purses';
import { PurseClosingService } from './purse-closing.service';

/** The end of a purse, which waits for its payments. */
@Controller('purses')
export class PurseClosingController {
  constructor(
    private readonly purses: PursesService,
    private readonly closing: PurseClosingService,
  ) {}

  /**
   * Closes a purse. What it did not spend is the account's again.
   *
   * A channel purse is `closing` until its last channel is gone, or its deadline: 202.
   */
  @Post(':id/close')
  @AgentAllowed()
  @Answers({ statuses: [200, 202], errors: ['conflict', 'chain_unavailable'] })
  async close(
    @Param('id') id: string,
    @NoFields() _body: void,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PurseView> {
    const purse = await this.purses.find(caller, id);
    if (purse.status === 'ordered') throw new PurseNotOpen(purse.id, (await this.purses.view(purse)).status);
    const view = await this.purses.view(purse.status === 'closed' ? purse : await this.closing.close(purse));
    response.status(view.status === 'closed' ? 200 : 202);
    return view;
  }
}
