/** What ledger offers to the features right of it. */
export { LedgerEntry } from './ledger-entry.entity';
export { LedgerModule } from './ledger.module';
export { LedgerService, NET_MICRO_USDC, type NewLedgerEntry, USAGE_GROUP_NAMES, type UsageGroup } from './ledger.service';
