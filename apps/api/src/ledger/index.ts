/** What ledger offers to the features right of it. */
export { LEDGER_ENTRY_TYPES, LedgerEntry } from './ledger-entry.entity';
export { LedgerModule } from './ledger.module';
export { LedgerService, type NewLedgerEntry } from './ledger.service';
export { type HourOfUsage, LedgerSums, USAGE_GROUP_NAMES, type Usage, type UsageGroup } from './ledger-sums';
