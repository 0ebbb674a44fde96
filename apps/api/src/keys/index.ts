/** What keys offers to the features right of it. */
export { AuthenticationService } from './authentication.service';
export { BrowserSessionsService, hasPageHeader, SESSION_COOKIE } from './browser-sessions.service';
export { KeysModule } from './keys.module';
export { OperatorsService } from './operators.service';
export { ResealingService } from './resealing.service';
