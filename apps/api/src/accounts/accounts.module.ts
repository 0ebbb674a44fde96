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
import { AccountCreationService } from './account-creation.service';
import { AccountDrafts } from './account-drafts';
import { AccountFleetService } from './account-fleet.service';
import { EndPolicyAction, PutFleetAction } from './fleet.actions';
import { AccountExecutions } from './account-executions';
import { AccountFinality } from './account-finality';
import { AccountLeases } from './account-leases';
import { AccountMacsModule } from './account-macs.module';
import { AccountPolicyService } from './account-policy.service';
import { AccountRecipients } from './account-recipients';
import { AccountSelection } from './account-selection';
import { Account } from './account.entity';
import { AccountsController } from './accounts.controller';
import { AccountRent } from './account-rent';
import { AccountViews } from './account-views';
import { AccountsService } from './accounts.service';
import { CounterpartyName } from './counterparty-name.entity';
import { CounterpartyNames } from './counterparty-names';
import { DepositReader } from './deposit-reader';
import { DepositsService } from './deposits.service';
import { FoundAccounts } from './found-accounts.service';
import { AccountHandles } from '../http/handles';
import { StoredAccountHandles } from './account-handles';
import { AccountHostsService } from './account-hosts.service';
import { HeldAmounts } from './held-amounts';
import { HistoryService } from './history.service';
import { IncomingPayments } from './incoming-payments';
import { LedgerBalances } from './ledger-balances';
import { ManyPolicies } from './many-policies';
import { Memberships } from './memberships';
import { MeController } from './me.controller';
import { OpeningTimes } from './opening-times';
import { PolicyChangeAction } from './policy-change.action';
import { PolicyLists } from './policy-lists';
import { TransactionsController } from './transactions.controller';
import { UnexplainedAmounts } from './unexplained-amounts';
import { UsageController } from './usage.controller';

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
  controllers: [AccountsController, MeController, TransactionsController, UsageController],
  providers: [
    AccountsService,
    AccountRent,
    AccountViews,
    AccountChangesService,
    AccountCreationService,
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
    AccountLeases,
    DepositsService,
    IncomingPayments,
    ExplorerLinks,
    FoundAccounts,
  ],
})
export class AccountsModule {}
