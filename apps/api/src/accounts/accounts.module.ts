import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ExplorerLinks } from '../http/explorer-links';
import { KeysModule } from '../keys/keys.module';
import { PolicyModule } from '../policy/policy.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { SweepsModule } from '../jobs/jobs.module';
import { AccountCreationService } from './account-creation.service';
import { AccountPolicyService } from './account-policy.service';
import { AccountRecord } from '../ledger/ledger-entry.entity';
import { Account } from './account.entity';
import { AccountsController } from './accounts.controller';
import { AccountsService } from './accounts.service';
import { CounterpartyName } from './counterparty-name.entity';
import { CounterpartyNames } from './counterparty-names';
import { DepositsService } from './deposits.service';
import { HistoryService } from './history.service';

/** Agents' accounts. */
@Module({
  imports: [TypeOrmModule.forFeature([Account, AccountRecord, CounterpartyName]), KeysModule, WebhooksModule, PolicyModule, SweepsModule],
  controllers: [AccountsController],
  providers: [
    AccountsService,
    AccountCreationService,
    AccountPolicyService,
    HistoryService,
    DepositsService,
    CounterpartyNames,
    ExplorerLinks,
  ],
  exports: [AccountsService, HistoryService, DepositsService, ExplorerLinks],
})
export class AccountsModule {}
