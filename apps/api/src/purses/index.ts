/** The public face of purses, for the features right of it. */
export { Purse } from './purse.entity';
export { PurseClosingService, type PursePayments } from './purse-closing.service';
export { PurseStore } from './purse.store';
export { PurseNotOpen } from './purses.errors';
export { PursesModule } from './purses.module';
export { PursesService } from './purses.service';
