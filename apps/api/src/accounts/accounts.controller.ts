import { Body, Controller, Get, HttpCode, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { AgentAllowed } from '../http/access';
import { Caller, requireCover } from '../http/caller';
import { IdempotencyKeyHeader, IfMatchHeader } from '../http/headers';
import type { Page } from '../http/pages';
import { DryRunHeader, SupportsDryRun } from '../http/dry-run';
import { type PolicyView, UpdatePolicyDto } from '../policy';
import { AccountChangesService } from './account-changes.service';
import { AccountCreationService } from './account-creation.service';
import { AccountPolicyService, type PolicyDryRunView } from './account-policy.service';
import {
  ChangeAccountDto,
  CreateAccountDto,
  ListAccountsQuery,
  type AccountView,
  type BalanceView,
  type SpendingView,
} from './accounts.dto';
import { AccountsService } from './accounts.service';
import { HistoryService } from './history.service';
import { ListRecordsQuery, type RecordView } from './records.dto';

/** Accounts: their policies, spending and history. */
@Controller('accounts')
export class AccountsController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly creation: AccountCreationService,
    private readonly changes: AccountChangesService,
    private readonly policies: AccountPolicyService,
    private readonly history: HistoryService,
  ) {}

  @Post()
  @HttpCode(201)
  async create(
    @Body() wanted: CreateAccountDto,
    @IdempotencyKeyHeader() key: string | undefined,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AccountView> {
    const { account, isReplay } = await this.creation.create(caller.operatorId, wanted, key);
    if (isReplay) response.set('Idempotent-Replayed', 'true');
    return account;
  }

  @Get()
  list(@Query() query: ListAccountsQuery, @Caller() caller: Caller): Promise<Page<AccountView>> {
    return this.accounts.list(caller.operatorId, query);
  }

  @Get(':id')
  show(@Param('id') id: string, @Caller() caller: Caller): Promise<AccountView> {
    return this.accounts.show(caller.operatorId, id);
  }

  @Patch(':id')
  change(@Param('id') id: string, @Body() change: ChangeAccountDto, @Caller() caller: Caller): Promise<AccountView> {
    return this.changes.change(caller.operatorId, id, change);
  }

  @Get(':id/balance')
  balance(@Param('id') id: string, @Caller() caller: Caller): Promise<BalanceView> {
    return this.accounts.balance(caller.operatorId, id);
  }

  @Get(':id/spending')
  @AgentAllowed()
  async spending(@Param('id') id: string, @Caller() caller: Caller): Promise<SpendingView> {
    requireCover(caller, id);
    return this.accounts.spending(caller.operatorId, id);
  }

  @Get(':id/transactions')
  transactions(@Param('id') id: string, @Query() query: ListRecordsQuery, @Caller() caller: Caller): Promise<Page<RecordView>> {
    return this.history.list(caller.operatorId, id, query);
  }

  @Get(':id/policy')
  async policy(@Param('id') id: string, @Caller() caller: Caller, @Res({ passthrough: true }) response: Response): Promise<PolicyView> {
    return tagged(response, await this.policies.show(caller.operatorId, id));
  }

  @Put(':id/policy')
  @SupportsDryRun()
  async setPolicy(
    @Param('id') id: string,
    @Body() wanted: UpdatePolicyDto,
    @IfMatchHeader() ifVersion: bigint | null,
    @DryRunHeader() isDryRun: boolean,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PolicyView | PolicyDryRunView> {
    if (isDryRun) return this.policies.dryRun(caller.operatorId, id, wanted, ifVersion);
    return tagged(response, await this.policies.update(caller.operatorId, id, wanted, ifVersion));
  }
}

function tagged(response: Response, policy: PolicyView): PolicyView {
  response.set('ETag', `"${policy.version}"`);
  return policy;
}
