import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ExplorerLinks } from '../http/explorer-links';
import { AuditModule } from '../audit';
import { KeysModule } from '../keys';
import { LedgerModule } from '../ledger';
import { PolicyModule } from '../policy';
import { SecretsModule } from '../secrets';
import { SignaturesModule } from '../signatures';
import { WebhooksModule } from '../webhooks';
import { EventsModule } from '../events';
import { FleetsModule } from '../fleets';
import { JobsModule } from '../jobs/jobs.module';
import { AccountChangesService } from './account-changes.service';
import { AccountCreationService } from './creation/account-creation.service';
import { AccountCreationStore } from './creation/account-creation.store';
import { AccountDrafts } from './creation/account-drafts';
import { AccountFleetService } from './members/account-fleet.service';
import { EndPolicyAction, PutFleetAction } from './members/fleet.actions';
import { AccountExecutions } from './creation/account-executions';
import { AccountFinality } from './creation/account-finality';
import { AccountLeases } from './creation/account-leases';
import { AccountMacsModule } from './recipients/account-macs.module';
import { AccountPolicyService } from './policies/account-policy.service';
import { AccountRecipients } from './recipients/account-recipients';
import { AccountSelection } from './account-selection';
import { Account } from './account.entity';
import { AccountsController } from './accounts.controller';
import { AccountRent } from './state/account-rent';
import { AccountViews } from './state/account-views';
import { AccountsService } from './accounts.service';
import { CounterpartyName } from './policies/counterparty-name.entity';
import { CounterpartyNames } from './policies/counterparty-names';
import { DepositReader } from './deposits/deposit-reader';
import { DepositsService } from './deposits/deposits.service';
import { FoundAccounts } from './creation/found-accounts.service';
import { AccountHandles } from '../http/handles';
import { StoredAccountHandles } from './recipients/account-handles';
import { AccountHostsService } from './policies/account-hosts.service';
import { HeldAmounts } from './state/held-amounts';
import { HistoryService } from './history/history.service';
import { IncomingPayments } from './deposits/incoming-payments';
import { LedgerBalances } from './state/ledger-balances';
import { ManyPolicies } from './policies/many-policies';
import { Memberships } from './members/memberships';
import { MeController } from './me.controller';
import { OpeningTimes } from './policies/opening-times';
import { PolicyChangeAction } from './policies/policy-change.action';
import { PolicyLists } from './policies/policy-lists';
import { StoredPolicies } from './policies/stored-policies';
import { UnexplainedAmounts } from './deposits/unexplained-amounts';
import { UsageController } from './history/usage.controller';

/** Agents' accounts. */
@Module({
  imports: [
    TypeOrmModule.forFeature([Account, CounterpartyName]),
    AccountMacsModule,
    SecretsModule,
    AuditModule,
    KeysModule,
    SignaturesModule,
    WebhooksModule,
    PolicyModule,
    LedgerModule,
    EventsModule,
    FleetsModule,
    JobsModule,
  ],
  controllers: [AccountsController, MeController, UsageController],
  providers: [
    AccountsService,
    AccountRent,
    AccountViews,
    AccountChangesService,
    AccountCreationService,
    AccountCreationStore,
    AccountDrafts,
    AccountExecutions,
    AccountFinality,
    AccountHostsService,
    FoundAccounts,
    AccountLeases,
    AccountPolicyService,
    AccountRecipients,
    AccountSelection,
    ManyPolicies,
    OpeningTimes,
    Memberships,
    AccountFleetService,
    PutFleetAction,
    EndPolicyAction,
    PolicyChangeAction,
    HistoryService,
    PolicyLists,
    StoredPolicies,
    DepositsService,
    DepositReader,
    IncomingPayments,
    HeldAmounts,
    LedgerBalances,
    UnexplainedAmounts,
    { provide: AccountHandles, useClass: StoredAccountHandles },
    CounterpartyNames,
    ExplorerLinks,
  ],
  exports: [
    HistoryService,
    HeldAmounts,
    LedgerBalances,
    UnexplainedAmounts,
    AccountsService,
    AccountRent,
    AccountViews,
    AccountPolicyService,
    AccountRecipients,
    AccountSelection,
    ManyPolicies,
    OpeningTimes,
    Memberships,
    AccountFleetService,
    PolicyLists,
    StoredPolicies,
    AccountLeases,
    DepositsService,
    IncomingPayments,
    ExplorerLinks,
    FoundAccounts,
  ],
})
export class AccountsModule {}
