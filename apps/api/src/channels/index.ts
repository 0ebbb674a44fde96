/** The public face of channels, for the features right of it. */
export { ChannelClosingService } from './channel-closing.service';
export { ChannelPurseHandler } from './channel-purse.handler';
export { type Channel, storedTerms, termsOf } from './channel.entity';
export { CHANNEL_TRANSITIONS } from './channel.states';
export { ChannelStore } from './channel.store';
export { ChannelsModule } from './channels.module';
export { PurseKeys } from './purse-keys';
