/** What push offers to the features right of it. */
export { PushModule } from './push.module';
