/** The public face of push, for the features right of it. */
export { PushModule } from './push.module';
