import { Body, Controller, Get, HttpCode, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Answers } from '../http/answers';
import { Caller } from '../http/caller';
import { DryRunHeader, SupportsDryRun } from '../http/dry-run';
import { IdempotencyKeyHeader, IfMatchHeader } from '../http/headers';
import type { Page } from '../lists/pages';
import { UpdateFleetPolicyDto } from '../policy';
import { NoFields } from '../http/validation/no-fields';
import { respond, SignatureRequestsService, type SignatureRequiredView, versioned } from '../signatures';
import {
  ChangeFleetDto,
  CreateFleetDto,
  FleetCreationService,
  type FleetPolicyDryRunView,
  type FleetPolicyView,
  type FleetSpendingView,
  FleetReader,
  FleetsService,
  type FleetView,
  type LimitsDryRunView,
  type LimitsView,
  ListFleetsQuery,
  type PausedFleetView,
  UpdateLimitsDto,
} from '../fleets';
import { AccountPolicyService } from '../accounts';
import { FleetCloseAction, FleetCreateAction, FleetLimitsAction, FleetPolicyAction } from './fleets.actions';

/** Fleets: one policy, one set of limits and one pause for many accounts, enforced on chain. */
@Controller('fleets')
export class FleetsController {
  constructor(
    private readonly fleetReader: FleetReader,
    private readonly fleets: FleetsService,
    private readonly creation: FleetCreationService,
    private readonly accountPolicies: AccountPolicyService,
    private readonly signatures: SignatureRequestsService,
    private readonly creating: FleetCreateAction,
    private readonly policyChange: FleetPolicyAction,
    private readonly limitsChange: FleetLimitsAction,
    private readonly closing: FleetCloseAction,
  ) {}

  /**
   * Creates a fleet.
   *
   * `policy` binds each member by itself, `limits` all members together. A creation whose outcome is unknown answers 503 and is finished by the
   * service: repeat it with the same `Idempotency-Key`, or list the fleets. 202 `signature_required`: the operator holds the chain key.
   */
  @Post()
  @HttpCode(201)
  @Answers({
    statuses: [201, 202],
    errors: ['idempotency_conflict', 'conflict', 'fee_payer_empty', 'chain_unavailable'],
    headers: ['Idempotent-Replayed'],
  })
  async create(
    @Body() wanted: CreateFleetDto,
    @IdempotencyKeyHeader() key: string | undefined,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<FleetView | SignatureRequiredView> {
    const counterparties = await this.accountPolicies.resolve(caller.operatorId, wanted.policy?.allowed_counterparties, 'policy.');
    const { id: fleetId, isReplay } = await this.creation.place(caller, { wanted, counterparties }, key);
    if (isReplay) response.set('Idempotent-Replayed', 'true');
    return respond(response, await this.signatures.perform(caller, this.creating, { fleetId }));
  }

  /** Lists the fleets. */
  @Get()
  list(@Query() query: ListFleetsQuery, @Caller() caller: Caller): Promise<Page<FleetView>> {
    return this.fleetReader.list(caller.operatorId, query);
  }

  /** Returns a fleet, read from the chain. */
  @Get(':id')
  @Answers({ errors: ['chain_unavailable'] })
  show(@Param('id') id: string, @Caller() caller: Caller): Promise<FleetView> {
    return this.fleetReader.show(caller.operatorId, id);
  }

  /** Changes the name or the metadata of a fleet. */
  @Patch(':id')
  @Answers({ errors: ['chain_unavailable'] })
  change(@Param('id') id: string, @Body() change: ChangeFleetDto, @Caller() caller: Caller): Promise<FleetView> {
    return this.fleets.change(caller, id, change);
  }

  /** Returns what the members of a fleet may still spend together, and when spent amounts come free again. */
  @Get(':id/spending')
  @Answers({ errors: ['chain_unavailable'] })
  spending(@Param('id') id: string, @Caller() caller: Caller): Promise<FleetSpendingView> {
    return this.fleetReader.spending(caller.operatorId, id);
  }

  /** Returns the policy of a fleet, read from the chain. */
  @Get(':id/policy')
  @Answers({ errors: ['chain_unavailable'], headers: ['ETag'] })
  async policy(
    @Param('id') id: string,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<FleetPolicyView> {
    return respond(response, versioned(await this.fleetReader.policy(caller.operatorId, id)));
  }

  /**
   * Changes the policy of a fleet.
   *
   * It binds each member by itself. Omitted fields stay, and `null` resets a field to its default. A body with only `paused: true` always
   * succeeds, and needs no signature of the operator.
   */
  @Put(':id/policy')
  @SupportsDryRun()
  @Answers({ statuses: [200, 202], errors: ['precondition_failed', 'conflict', 'fee_payer_empty', 'chain_unavailable'], headers: ['ETag'] })
  async setPolicy(
    @Param('id') id: string,
    @Body() wanted: UpdateFleetPolicyDto,
    @IfMatchHeader() ifVersion: bigint | null,
    @DryRunHeader() isDryRun: boolean,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<FleetPolicyView | FleetPolicyDryRunView | SignatureRequiredView> {
    if (isDryRun) {
      await this.accountPolicies.resolve(caller.operatorId, wanted.allowed_counterparties);
      return this.fleetReader.dryRunPolicy(caller.operatorId, id, wanted, ifVersion);
    }
    const parameters = { fleetId: id, wanted, ifVersion: ifVersion?.toString() ?? null };
    return respond(response, await this.signatures.perform(caller, this.policyChange, parameters)) as FleetPolicyView;
  }

  /** Returns the limits of all members of a fleet together, read from the chain. */
  @Get(':id/limits')
  @Answers({ errors: ['chain_unavailable'], headers: ['ETag'] })
  async limits(@Param('id') id: string, @Caller() caller: Caller, @Res({ passthrough: true }) response: Response): Promise<LimitsView> {
    return respond(response, versioned(await this.fleetReader.limits(caller.operatorId, id)));
  }

  /** Changes the limits of all members of a fleet together. Omitted ones stay, and `null` removes one. */
  @Put(':id/limits')
  @SupportsDryRun()
  @Answers({ statuses: [200, 202], errors: ['precondition_failed', 'conflict', 'fee_payer_empty', 'chain_unavailable'], headers: ['ETag'] })
  async setLimits(
    @Param('id') id: string,
    @Body() wanted: UpdateLimitsDto,
    @IfMatchHeader() ifVersion: bigint | null,
    @DryRunHeader() isDryRun: boolean,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<LimitsView | LimitsDryRunView | SignatureRequiredView> {
    if (isDryRun) return this.fleetReader.dryRunLimits(caller.operatorId, id, wanted, ifVersion);
    const parameters = { fleetId: id, wanted, ifVersion: ifVersion?.toString() ?? null };
    return respond(response, await this.signatures.perform(caller, this.limitsChange, parameters));
  }

  /**
   * Pauses a fleet: from the next slot on no member pays.
   *
   * That holds for transfers, openings, top-ups, purses and payments inside sessions. Open purses are then finished one by one, by the job
   * `job_id`. A paused fleet stays so. Needs no signature of the operator.
   */
  @Post(':id/pause')
  @HttpCode(200)
  @Answers({ statuses: [200, 202], errors: ['conflict', 'chain_unavailable'] })
  async pause(
    @Param('id') id: string,
    @NoFields() _body: void,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PausedFleetView | SignatureRequiredView> {
    const parameters = { fleetId: id, wanted: { paused: true }, ifVersion: null, isPause: true };
    return respond(response, await this.signatures.perform(caller, this.policyChange, parameters)) as PausedFleetView;
  }

  /** Resumes a fleet. One that is not paused stays so. */
  @Post(':id/resume')
  @HttpCode(200)
  @Answers({ statuses: [200, 202], errors: ['conflict', 'fee_payer_empty', 'chain_unavailable'] })
  async resume(
    @Param('id') id: string,
    @NoFields() _body: void,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<FleetView | SignatureRequiredView> {
    const parameters = { fleetId: id, wanted: { paused: false }, ifVersion: null, isPause: true };
    return respond(response, await this.signatures.perform(caller, this.policyChange, parameters)) as FleetView;
  }

  /** Closes a fleet without members for ever. A closed one stays so. */
  @Post(':id/close')
  @HttpCode(200)
  @Answers({ statuses: [200, 202], errors: ['conflict', 'chain_unavailable'] })
  async close(
    @Param('id') id: string,
    @NoFields() _body: void,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<FleetView | SignatureRequiredView> {
    return respond(response, await this.signatures.perform(caller, this.closing, { fleetId: id }));
  }
}
