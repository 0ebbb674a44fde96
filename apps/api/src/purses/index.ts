/** The public face of purses, for the features right of it. */
export { Purse, urlOf } from './purse.entity';
export { type ChannelPurses, PurseClosingService, type PursePayments } from './purse-closing.service';
export { ChannelPurseStore } from './channel-purse.store';
export { PurseStore } from './purse.store';
export type { ChannelView } from './purses.dto';
export { PurseNotOpen } from './purses.errors';
export { PursesModule } from './purses.module';
export { PursesService } from './purses.service';
