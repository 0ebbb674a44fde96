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
import { JobsModule } from '../jobs/jobs.module';
import { AccountChangesService } from './account-changes.service';
import { AccountCreationService } from './account-creation.service';
import { AccountLeases } from './account-leases';
import { AccountPolicyService } from './account-policy.service';
import { Account } from './account.entity';
import { AccountsController } from './accounts.controller';
import { AccountsService } from './accounts.service';
import { CounterpartyName } from './counterparty-name.entity';
import { CounterpartyNames } from './counterparty-names';
import { DepositsService } from './deposits.service';
import { HistoryService } from './history.service';
import { MeController } from './me.controller';
import { PolicyChangeAction } from './policy-change.action';
import { PolicyLists } from './policy-lists';
import { TransactionsController } from './transactions.controller';
import { UsageController } from './usage.controller';

/** Agents' accounts. */
@Module({
  imports: [
    TypeOrmModule.forFeature([Account, CounterpartyName]),
    SecretsModule,
    AuditModule,
    KeysModule,
    SignaturesModule,
    WebhooksModule,
    PolicyModule,
    LedgerModule,
    JobsModule,
  ],
  controllers: [AccountsController, MeController, TransactionsController, UsageController],
  providers: [
    AccountsService,
    AccountChangesService,
    AccountCreationService,
    AccountLeases,
    AccountPolicyService,
    PolicyChangeAction,
    HistoryService,
    PolicyLists,
    DepositsService,
    CounterpartyNames,
    ExplorerLinks,
  ],
  exports: [AccountsService, PolicyLists, AccountLeases, DepositsService, ExplorerLinks],
})
export class AccountsModule {}
