import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { AgentAllowed } from '../http/access';
import { Answers } from '../http/answers';
import { Caller, requireCover } from '../http/caller';
import { IdempotencyKeyHeader, IfMatchHeader } from '../http/headers';
import type { Page } from '../lists/pages';
import { DryRunHeader, SupportsDryRun } from '../http/dry-run';
import { UpdatePolicyDto } from '../policy';
import { respond, SignatureRequestsService, type SignatureRequiredView, versioned } from '../signatures';
import { AccountChangesService } from './account-changes.service';
import { AccountCreationService } from './creation/account-creation.service';
import { AccountHostsService, type HostsDryRunView, type HostsView, PutHostsDto } from './policies/account-hosts.service';
import { AccountPolicyService, type PolicyView, type PolicyDryRunView } from './policies/account-policy.service';
import {
  ChangeAccountDto,
  CreateAccountDto,
  ListAccountsQuery,
  PutFleetDto,
  type AccountView,
  type BalanceView,
  type SpendingView,
} from './accounts.dto';
import { AccountViews } from './state/account-views';
import { EndPolicyAction, PutFleetAction } from './members/fleet.actions';
import { HistoryService } from './history/history.service';
import { PolicyChangeAction } from './policies/policy-change.action';
import { ListRecordsQuery, type RecordView } from './history/records.dto';

/** Accounts: their policies, spending and history. */
@Controller('accounts')
export class AccountsController {
  constructor(
    private readonly views: AccountViews,
    private readonly creation: AccountCreationService,
    private readonly changes: AccountChangesService,
    private readonly policies: AccountPolicyService,
    private readonly policyChange: PolicyChangeAction,
    private readonly signatures: SignatureRequestsService,
    private readonly history: HistoryService,
    private readonly hosts: AccountHostsService,
    private readonly putFleet: PutFleetAction,
    private readonly endPolicy: EndPolicyAction,
  ) {}

  /**
   * Creates an account.
   *
   * Its accounts on chain are created with it. `handle` and `chain_address` never change. A creation whose outcome is unknown answers 503 and is
   * finished by the service: repeat it with the same `Idempotency-Key`, or list the accounts.
   */
  @Post()
  @HttpCode(201)
  @Answers({ errors: ['idempotency_conflict', 'fee_payer_empty', 'chain_unavailable'], headers: ['Idempotent-Replayed'] })
  async create(
    @Body() wanted: CreateAccountDto,
    @IdempotencyKeyHeader() key: string | undefined,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AccountView> {
    const { account, isReplay } = await this.creation.create(caller, wanted, key);
    if (isReplay) response.set('Idempotent-Replayed', 'true');
    return account;
  }

  /**
   * Lists the accounts.
   *
   * While the chain is unavailable, balances are the last known ones, and `balance_as_of` says when they were read.
   */
  @Get()
  list(@Query() query: ListAccountsQuery, @Caller() caller: Caller): Promise<Page<AccountView>> {
    return this.views.list(caller.operatorId, query);
  }

  /** Returns an account with its balance and policy, read from the chain. */
  @Get(':id')
  @Answers({ errors: ['chain_unavailable'] })
  show(@Param('id') id: string, @Caller() caller: Caller): Promise<AccountView> {
    return this.views.show(caller.operatorId, id);
  }

  /** Changes the name, the metadata or the labels of an account. */
  @Patch(':id')
  change(@Param('id') id: string, @Body() change: ChangeAccountDto, @Caller() caller: Caller): Promise<AccountView> {
    return this.changes.change(caller, id, change);
  }

  /** Returns the balance of an account, read from the chain. */
  @Get(':id/balance')
  @Answers({ errors: ['chain_unavailable'] })
  balance(@Param('id') id: string, @Caller() caller: Caller): Promise<BalanceView> {
    return this.views.balance(caller.operatorId, id);
  }

  /** Returns what an account may still spend now, and when spent amounts come free again. */
  @Get(':id/spending')
  @AgentAllowed()
  @Answers({ errors: ['chain_unavailable'] })
  async spending(@Param('id') id: string, @Caller() caller: Caller): Promise<SpendingView> {
    requireCover(caller, id);
    return this.views.spending(caller.operatorId, id);
  }

  /** Lists the history of an account: transfers, deposits, settled sessions and rejections. */
  @Get(':id/transactions')
  transactions(@Param('id') id: string, @Query() query: ListRecordsQuery, @Caller() caller: Caller): Promise<Page<RecordView>> {
    return this.history.list(caller.operatorId, id, query);
  }

  /** Returns the hosts that an account may pay. */
  @Get(':id/hosts')
  showHosts(@Param('id') id: string, @Caller() caller: Caller): Promise<HostsView> {
    return this.hosts.show(caller.operatorId, id);
  }

  /**
   * Sets the hosts that an account may pay.
   *
   * The service enforces them, and not the chain: before any request leaves, for payments, sessions and purses. `null` allows all, `[]` none.
   */
  @Put(':id/hosts')
  @SupportsDryRun()
  @Answers({ errors: ['conflict'] })
  setHosts(
    @Param('id') id: string,
    @Body() wanted: PutHostsDto,
    @DryRunHeader() isDryRun: boolean,
    @Caller() caller: Caller,
  ): Promise<HostsView | HostsDryRunView> {
    return isDryRun ? this.hosts.dryRun(caller.operatorId, id, wanted) : this.hosts.put(caller, id, wanted);
  }

  /** Returns the policy of an account, read from the chain. */
  @Get(':id/policy')
  @Answers({ errors: ['chain_unavailable'], headers: ['ETag'] })
  async policy(@Param('id') id: string, @Caller() caller: Caller, @Res({ passthrough: true }) response: Response): Promise<PolicyView> {
    return respond(response, versioned(await this.policies.show(caller.operatorId, id)));
  }

  /**
   * Changes the policy of an account.
   *
   * Omitted fields stay, and `null` resets a field to its default. A body with only `paused: true` always succeeds. A 503 may still have taken
   * effect: read the policy. 202 `signature_required`: the operator holds the chain key, and must sign the change.
   */
  @Put(':id/policy')
  @SupportsDryRun()
  @Answers({ statuses: [200, 202], errors: ['precondition_failed', 'conflict', 'fee_payer_empty', 'chain_unavailable'], headers: ['ETag'] })
  async setPolicy(
    @Param('id') id: string,
    @Body() wanted: UpdatePolicyDto,
    @IfMatchHeader() ifVersion: bigint | null,
    @DryRunHeader() isDryRun: boolean,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PolicyView | PolicyDryRunView | SignatureRequiredView> {
    if (isDryRun) return this.policies.dryRun(caller.operatorId, id, wanted, ifVersion);
    const parameters = { accountId: id, wanted, ifVersion: ifVersion?.toString() ?? null };
    return respond(response, await this.signatures.perform(caller, this.policyChange, parameters));
  }

  /**
   * Ends the own policy of an account in a fleet: only the fleet's policy and limits bind it from then on.
   *
   * 204. 409 for an account outside of a fleet. 202 `signature_required`: the operator holds the chain key, and must sign.
   */
  @Delete(':id/policy')
  @Answers({ statuses: [202, 204], errors: ['precondition_failed', 'conflict', 'chain_unavailable'] })
  async deletePolicy(
    @Param('id') id: string,
    @IfMatchHeader() ifVersion: bigint | null,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignatureRequiredView | void> {
    const answer = await this.signatures.perform(caller, this.endPolicy, { accountId: id, ifVersion: ifVersion?.toString() ?? null });
    const body = respond(response, answer);
    return answer.status === 202 ? (body as SignatureRequiredView) : undefined;
  }

  /**
   * Puts an account into a fleet, or out of any.
   *
   * 409 while sessions, purses or charges of the account reserve amounts. What left before joining does not count in the fleet. An account that
   * leaves without a policy of its own gets a paused one. Joining needs no signature of the operator, leaving does.
   */
  @Put(':id/fleet')
  @Answers({ statuses: [200, 202], errors: ['conflict', 'chain_unavailable'] })
  async setFleet(
    @Param('id') id: string,
    @Body() { fleet_id: fleetId }: PutFleetDto,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AccountView | SignatureRequiredView> {
    return respond(response, await this.signatures.perform(caller, this.putFleet, { accountId: id, fleetId }));
  }
}
