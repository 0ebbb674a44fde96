/** The public face of ledger, for the features right of it. */
export { type ArchivedMonth, ArchivedMonths } from './archived-months';
export { monthOf } from './ledger-times';
export { LEDGER_ENTRY_TYPES, LedgerEntry } from './ledger-entry.entity';
export { LedgerModule } from './ledger.module';
export { type Arrival, LedgerService, type NewLedgerEntry } from './ledger.service';
export {
  type AccountHour,
  type GroupedUsage,
  LedgerSums,
  type SpanOfUsage,
  type Usage,
} from './ledger-sums';
export { SumsComparison } from './sums-comparison';
export { USAGE_GROUP_NAMES, type UsageGroup, type UsageScope } from './usage-sources';
