/** The public face of ledger, for the features right of it. */
export { monthOf } from './ledger-times';
export { LEDGER_ENTRY_TYPES, LedgerEntry } from './ledger-entry.entity';
export { LedgerModule } from './ledger.module';
export { type Arrival, LedgerService, type NewLedgerEntry } from './ledger.service';
export {
  type AccountHour,
  type GroupedUsage,
  LedgerSums,
  type SpanOfUsage,
  USAGE_GROUP_NAMES,
  type Usage,
  type UsageGroup,
  type UsageScope,
} from './ledger-sums';
