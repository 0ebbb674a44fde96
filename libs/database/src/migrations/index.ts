import type { MigrationInterface } from 'typeorm';
import { Foundation0000000000001 } from './0001-foundation';
import { AccountsAndTransfers0000000000002 } from './0002-accounts-and-transfers';
import { Custody0000000000003 } from './0003-custody';
import { Deposits0000000000004 } from './0004-deposits';
import { Webhooks0000000000005 } from './0005-webhooks';
import { Reconciliation0000000000006 } from './0006-reconciliation';
import { SessionsAndPayments0000000000007 } from './0007-sessions-and-payments';
import { OpenCharges0000000000008 } from './0008-open-charges';
import { PaymentKeys0000000000009 } from './0009-payment-keys';
import { Orders0000000000010 } from './0010-orders';
import { Purses0000000000011 } from './0011-purses';
import { References0000000000012 } from './0012-references';
import { ListIndexes0000000000013 } from './0013-list-indexes';
import { ObservedSlot0000000000014 } from './0014-observed-slot';
import { LedgerSums0000000000015 } from './0015-ledger-sums';
import { Search0000000000016 } from './0016-search';
import { AuditLog0000000000017 } from './0017-audit-log';
import { LastActivity0000000000018 } from './0018-last-activity';
import { BoundedLists0000000000019 } from './0019-bounded-lists';
import { CostlyIndexes0000000000020 } from './0020-costly-indexes';
import { Push0000000000021 } from './0021-push';
import { ExternalChainKeys0000000000022 } from './0022-external-chain-keys';
import { OrderTags0000000000023 } from './0023-order-tags';
import { WebhookHealth0000000000024 } from './0024-webhook-health';
import { Finality0000000000025 } from './0025-finality';
import { BrowserSessions0000000000026 } from './0026-browser-sessions';
import { ApiKeyMacs0000000000027 } from './0027-api-key-macs';
import { KeptKeys0000000000028 } from './0028-kept-keys';
import { RowMacs0000000000029 } from './0029-row-macs';
import { SealedAnswers0000000000030 } from './0030-sealed-answers';
import { Admission0000000000031 } from './0031-admission';
import { BulkJobs0000000000032 } from './0032-bulk-jobs';
import { SealedWebhookUrls0000000000033 } from './0033-sealed-webhook-urls';
import { FeePayerLevels0000000000034 } from './0034-fee-payer-levels';
import { Labels0000000000035 } from './0035-labels';
import { ReversedPayments0000000000036 } from './0036-reversed-payments';
import { AccountMacs0000000000037 } from './0037-account-macs';
import { AttemptFees0000000000038 } from './0038-attempt-fees';
import { CutHistories0000000000039 } from './0039-cut-histories';
import { CheaperRows0000000000040 } from './0040-cheaper-rows';
import { AllowedHosts0000000000042 } from './0042-allowed-hosts';
import { ProviderLimits0000000000050 } from './0050-provider-limits';
import { PaymentEvidence0000000000051 } from './0051-payment-evidence';
import { DirectTransfers0000000000052 } from './0052-direct-transfers';
import { ServiceCatalogues0000000000053 } from './0053-service-catalogues';
import { PaymentsByOrder0000000000054 } from './0054-payments-by-order';
import { OrderRequests0000000000070 } from './0070-order-requests';
import { Fleets0000000000080 } from './0080-fleets';
import { FleetJobs0000000000081 } from './0081-fleet-jobs';
import { EventsToFanOut0000000000082 } from './0082-events-to-fan-out';
import { FleetWindows0000000000083 } from './0083-fleet-windows';
import { ChannelPurses0000000000090 } from './0090-channel-purses';
import { Traces0000000000100 } from './0100-traces';
import { AskedChannelPurses0000000000101 } from './0101-asked-channel-purses';
import { MppChannels0000000000102 } from './0102-mpp-channels';
import { CounterpartyOrder0000000000111 } from './0111-counterparty-order';
import { ChannelTopUps0000000000112 } from './0112-channel-top-ups';
import { ChannelOperators0000000000113 } from './0113-channel-operators';
import { VoucherChannels0000000000114 } from './0114-voucher-channels';
import { ToppedUpVouchers0000000000115 } from './0115-topped-up-vouchers';
import { KeyAddresses0000000000120 } from './0120-key-addresses';
import { Archive0000000000125 } from './0125-archive';
import { ArchivedAuditLog0000000000126 } from './0126-archived-audit-log';
import { EventsWithoutWebhooks0000000000127 } from './0127-events-without-webhooks';
import { SavedViews0000000000128 } from './0128-saved-views';
import { PauseDecisions0000000000129 } from './0129-pause-decisions';

/** Every migration in its order. One that has landed is never edited: a change is a new one at the end. */
export const migrations: (new () => MigrationInterface)[] = [
  Foundation0000000000001,
  AccountsAndTransfers0000000000002,
  Custody0000000000003,
  Deposits0000000000004,
  Webhooks0000000000005,
  Reconciliation0000000000006,
  SessionsAndPayments0000000000007,
  OpenCharges0000000000008,
  PaymentKeys0000000000009,
  Orders0000000000010,
  Purses0000000000011,
  References0000000000012,
  ListIndexes0000000000013,
  ObservedSlot0000000000014,
  LedgerSums0000000000015,
  Search0000000000016,
  AuditLog0000000000017,
  LastActivity0000000000018,
  BoundedLists0000000000019,
  CostlyIndexes0000000000020,
  Push0000000000021,
  ExternalChainKeys0000000000022,
  OrderTags0000000000023,
  WebhookHealth0000000000024,
  Finality0000000000025,
  BrowserSessions0000000000026,
  ApiKeyMacs0000000000027,
  KeptKeys0000000000028,
  RowMacs0000000000029,
  SealedAnswers0000000000030,
  Admission0000000000031,
  BulkJobs0000000000032,
  SealedWebhookUrls0000000000033,
  FeePayerLevels0000000000034,
  Labels0000000000035,
  ReversedPayments0000000000036,
  AccountMacs0000000000037,
  AttemptFees0000000000038,
  CutHistories0000000000039,
  CheaperRows0000000000040,
  AllowedHosts0000000000042,
  ProviderLimits0000000000050,
  PaymentEvidence0000000000051,
  DirectTransfers0000000000052,
  ServiceCatalogues0000000000053,
  PaymentsByOrder0000000000054,
  OrderRequests0000000000070,
  Fleets0000000000080,
  FleetJobs0000000000081,
  EventsToFanOut0000000000082,
  FleetWindows0000000000083,
  ChannelPurses0000000000090,
  Traces0000000000100,
  AskedChannelPurses0000000000101,
  MppChannels0000000000102,
  CounterpartyOrder0000000000111,
  ChannelTopUps0000000000112,
  ChannelOperators0000000000113,
  VoucherChannels0000000000114,
  ToppedUpVouchers0000000000115,
  KeyAddresses0000000000120,
  Archive0000000000125,
  ArchivedAuditLog0000000000126,
  EventsWithoutWebhooks0000000000127,
  SavedViews0000000000128,
  PauseDecisions0000000000129,
];
