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
];
