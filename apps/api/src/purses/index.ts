/** The public face of purses, for the features right of it. */
export { Purse, urlOf } from './purse.entity';
export { PurseEndings, sumOf } from './closing/purse-endings';
export { ChannelPurseHandler } from './orders/channel-purse.handler';
export { ChannelPurseStore } from './store/channel-purse.store';
export { channelCommitted, paymentCommitted, paymentLanded, paymentReleased, paymentReversed } from './store/purse-commitments';
export { PurseLocks } from './store/purse-locks';
export type { PurseEnd } from './store/purse-records';
export { PurseStore } from './store/purse.store';
export { PurseKeys } from './orders/purse-keys';
export type { CreatePurseDto, PurseView } from './purses.dto';
export { CHANNELS_ABSENT, ChannelsAbsent, PurseNotOpen } from './purses.errors';
export { PursesModule } from './purses.module';
export { PursesService } from './purses.service';
