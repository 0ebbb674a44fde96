/** What transfers offers to the features right of it. */
export { TransfersModule } from './transfers.module';
