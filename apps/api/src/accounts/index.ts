/** The public face of accounts, for the features right of it. */
export { Account } from './account.entity';
export { AccountPolicyService, type NamedCounterparty, resolvedChange, type ResolvedChange } from './account-policy.service';
export { AccountSelection } from './account-selection';
export { AccountRecipients } from './account-recipients';
export { AccountLeases } from './account-leases';
export { CSV_COLUMNS, type CsvRecord } from './records.csv';
export { type RecordView, recordView } from './records.dto';
export { AccountMacsModule } from './account-macs.module';
export { AccountsModule } from './accounts.module';
export { AccountsService } from './accounts.service';
export { type AccountView, IsLabelFilter, LABEL, MAX_LABELS, sortedLabels } from './accounts.dto';
export { ManyPolicies, type PlannedGroup } from './many-policies';
export { PolicyLists } from './policy-lists';
export { HeldAmounts, type Holder } from './held-amounts';
export { DepositsService } from './deposits.service';
export { IncomingPayments, type PaymentFinder, type PaymentIds } from './incoming-payments';
export { LostAccounts } from './lost-accounts';
export { FoundAccounts } from './found-accounts.service';
