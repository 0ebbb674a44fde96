/** The public face of keys, for the features right of it. */
export { accountIdsOf, fleetIdsOf } from './api-keys.dto';
export { ApiKeysService } from './api-keys.service';
export { AuthenticationService } from './authentication.service';
export { BrowserSessionsService, type BrowserSessionView, hasPageHeader, SESSION_COOKIE } from './browser-sessions.service';
export { KeysModule } from './keys.module';
export { type NextChainKey, OperatorLeases, type OperatorRotation } from './operator-leases';
export { lockOperator } from './operator-lock';
export { OperatorsService } from './operators.service';
export { membersOf, requireOwnedAccounts, requireOwnedFleets } from './owned-accounts';
export { ResealingService } from './resealing.service';
