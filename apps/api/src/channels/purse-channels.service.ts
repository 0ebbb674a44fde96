import { Injectable } from '@nestjs/common';
import type { Caller } from '../http/caller';
import { type Page, toPage } from '../lists/pages';
import { PursesService } from '../purses';
import { ChannelStore } from './channel.store';
import { channelView, type ChannelView, keyOf, type ListChannelsQuery, placeOf, type PurseWithChannelsView } from './channels.dto';

const SHOWN_CHANNELS = 100;

/** The channels of purses, as the API shows them. */
@Injectable()
export class PurseChannels {
  constructor(
    private readonly purses: PursesService,
    private readonly channels: ChannelStore,
  ) {}

  /** A purse; a channel purse with its newest channels. @throws NotFound */
  async show(caller: Caller, purseId: string): Promise<PurseWithChannelsView> {
    const purse = await this.purses.find(caller, purseId);
    const view = await this.purses.view(purse);
    if (purse.kind !== 'channel') return view;
    return { ...view, channels: (await this.channels.newest(purse.id, SHOWN_CHANNELS)).map(channelView) };
  }

  /** A page of a purse's channels, newest first; empty for an allowance purse. @throws NotFound */
  async list(caller: Caller, purseId: string, query: ListChannelsQuery): Promise<Page<ChannelView>> {
    const { id } = await this.purses.find(caller, purseId);
    const before = query.cursor === undefined ? undefined : placeOf(query.cursor);
    const channels = await this.channels.newest(id, query.limit + 1, before);
    return toPage(
      channels.map((channel) => Object.assign(channel, { id: keyOf(channel) })),
      query,
      channelView,
    );
  }
}
