/** The public face of channels, for the features right of it. */
export { ChannelClosingService } from './channel-closing.service';
export { type Channel, operatorOf, storedTerms, termsOf } from './channel.entity';
export { CHANNEL_TRANSITIONS } from './channel.states';
export { ChannelStore, type NewChannel, type TopUp } from './channel.store';
export { ChannelsModule } from './channels.module';
