import { Controller, Get, Param, Query } from '@nestjs/common';
import { AgentAllowed } from '../http/access';
import { Caller } from '../http/caller';
import type { Page } from '../lists/pages';
import { type ChannelView, ListChannelsQuery, type PurseWithChannelsView } from './channels.dto';
import { PurseChannels } from './purse-channels.service';

/** Purses with their payment channels. */
@Controller('purses')
export class PurseChannelsController {
  constructor(private readonly purses: PurseChannels) {}

  /** Returns a purse; a channel purse with its newest 100 channels. */
  @Get(':id')
  @AgentAllowed()
  show(@Param('id') id: string, @Caller() caller: Caller): Promise<PurseWithChannelsView> {
    return this.purses.show(caller, id);
  }

  /** Lists the payment channels of a channel purse. */
  @Get(':id/channels')
  @AgentAllowed()
  channels(@Param('id') id: string, @Query() query: ListChannelsQuery, @Caller() caller: Caller): Promise<Page<ChannelView>> {
    return this.purses.list(caller, id, query);
  }
}
