/** The public face of keys, for the features right of it. */
export { accountIdsOf, fleetIdsOf } from './api-keys/api-keys.dto';
export { ApiKeysService } from './api-keys/api-keys.service';
export { AuthenticationService } from './authentication/authentication.service';
export { BrowserSessionsService, hasPageHeader, type ListedSession, SESSION_COOKIE } from './authentication/browser-sessions.service';
export { KeysModule } from './keys.module';
export { type NextChainKey, OperatorLeases, type OperatorRotation } from './operators/operator-leases';
export { lockOperator } from './operators/operator-lock';
export { OperatorsService } from './operators/operators.service';
export { membersOf, requireOwnedAccounts, requireOwnedFleets } from './api-keys/owned-accounts';
export { ResealingService } from './resealing.service';
