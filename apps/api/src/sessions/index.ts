/** What sessions offers to the features right of it. */
export { Session } from './session.entity';
export { type IssuedVoucher, SessionStore } from './session.store';
export { DEFAULT_EXPIRY_SECONDS } from './sessions.dto';
export { SessionNotOpen } from './sessions.errors';
export { SessionsModule } from './sessions.module';
export { requirePayee, SessionsService } from './sessions.service';
