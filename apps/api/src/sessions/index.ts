/** The public face of sessions, for the features right of it. */
export { Session } from './session.entity';
export { type SessionPurpose, SessionReader } from './store/session-reader';
export { type IssuedVoucher, SessionVouchers } from './store/session-vouchers';
export { type CreateSessionDto, DEFAULT_EXPIRY_SECONDS } from './sessions.dto';
export { SessionNotOpen } from './sessions.errors';
export { SessionsModule } from './sessions.module';
export { requirePayee, SessionsService } from './sessions.service';
