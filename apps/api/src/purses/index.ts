/** The public face of purses, for the features right of it. */
export { Purse, urlOf } from './purse.entity';
export { PurseEndings, sumOf } from './purse-endings';
export { ChannelPurseHandler } from './channel-purse.handler';
export { ChannelPurseStore } from './channel-purse.store';
export { channelCommitted, paymentCommitted, paymentLanded, paymentReleased, paymentReversed } from './purse-commitments';
export { PurseLocks } from './purse-locks';
export type { PurseEnd } from './purse-records';
export { PurseStore } from './purse.store';
export { PurseKeys } from './purse-keys';
export type { CreatePurseDto, PurseView } from './purses.dto';
export { CHANNELS_ABSENT, ChannelsAbsent, PurseNotOpen } from './purses.errors';
export { PursesModule } from './purses.module';
export { PursesService } from './purses.service';
