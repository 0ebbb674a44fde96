/** The actions that a fleet's operator signs: its creation, its policy and limits, and its end. */
import { Injectable } from '@nestjs/common';
import type { Caller } from '../http/caller';
import type { UpdateFleetPolicyDto } from '../policy';
import { type Answer, OperatorAction, OperatorActions, type Signed, versioned } from '../signatures';
import { AccountPolicyService } from '../accounts';
import {
  type Changing,
  type Fleet,
  FleetCreationService,
  type FleetPolicyView,
  FleetReader,
  FleetsService,
  type FleetView,
  type LimitsView,
  limitsView,
  type PausedFleetView,
  policyView,
  type UpdateLimitsDto,
} from '../fleets';
import { FleetPauses } from './fleet-pauses';

type Described = { accountId: null; summary: string[] };

interface OfFleet {
  fleetId: string;
}

/** Creates a stored fleet on chain. */
@Injectable()
export class FleetCreateAction extends OperatorAction<OfFleet, FleetView> {
  readonly name = 'fleet.create';

  constructor(
    actions: OperatorActions,
    private readonly fleetReader: FleetReader,
    private readonly creation: FleetCreationService,
  ) {
    super(actions);
  }

  async run({ operatorId }: Caller, { fleetId }: OfFleet, signed: Signed | null): Promise<Answer<FleetView>> {
    const body = await this.fleetReader.view(await this.creation.finish(operatorId, fleetId, signed));
    return { status: 201, headers: {}, body };
  }

  async describe(_caller: Caller, { fleetId }: OfFleet): Promise<Described> {
    return { accountId: null, summary: [`The fleet ${fleetId} is created with its limits, and then gets its policy.`] };
  }
}

interface PolicyParameters extends OfFleet {
  wanted: UpdateFleetPolicyDto;
  /** From `If-Match`; null for any version. */
  ifVersion: string | null;
  /** Whether the answer is the fleet, as that of a pause, and not its policy. */
  isPause?: boolean;
}

/** Changes the policy of a fleet. */
@Injectable()
export class FleetPolicyAction extends OperatorAction<PolicyParameters, FleetPolicyView | FleetView | PausedFleetView> {
  readonly name = 'fleet.policy';

  constructor(
    actions: OperatorActions,
    private readonly fleetReader: FleetReader,
    private readonly fleets: FleetsService,
    private readonly accountPolicies: AccountPolicyService,
    private readonly pauses: FleetPauses,
  ) {
    super(actions);
  }

  async run(
    caller: Caller,
    { fleetId, wanted, ifVersion, isPause }: PolicyParameters,
    signed: Signed | null,
  ): Promise<Answer<FleetPolicyView | FleetView | PausedFleetView>> {
    const changing = { ifVersion: ifVersion === null ? null : BigInt(ifVersion), signed };
    const isAsAsked = isPause === true && (await this.fleetReader.policy(caller.operatorId, fleetId)).paused === wanted.paused;
    const fleet = isAsAsked
      ? await this.fleetReader.find(caller.operatorId, fleetId)
      : await this.change(caller, fleetId, wanted, changing);
    const remaining = wanted.paused === true ? await this.pauses.begin(caller, fleetId) : undefined;
    if (!isPause) return versioned(policyView(fleet));
    const view = await this.fleetReader.view(fleet);
    const left = remaining && { open_purses: remaining.openPurses, job_id: remaining.jobId };
    return { status: 200, headers: {}, body: { ...view, ...left } };
  }

  private async change(caller: Caller, fleetId: string, wanted: UpdateFleetPolicyDto, changing: Changing): Promise<Fleet> {
    const counterparties = await this.accountPolicies.resolve(caller.operatorId, wanted.allowed_counterparties);
    return this.fleets.setPolicy(caller, fleetId, { wanted, counterparties }, changing);
  }

  async describe({ operatorId }: Caller, { fleetId, wanted }: PolicyParameters): Promise<Described> {
    const { name } = await this.fleetReader.find(operatorId, fleetId);
    const { changes } = await this.fleetReader.dryRunPolicy(operatorId, fleetId, wanted, null);
    return { accountId: null, summary: [`The policy of the fleet ${name} (${fleetId}) is changed.`, ...changes] };
  }
}

interface LimitsParameters extends OfFleet {
  wanted: UpdateLimitsDto;
  ifVersion: string | null;
}

/** Changes the limits of a fleet. */
@Injectable()
export class FleetLimitsAction extends OperatorAction<LimitsParameters, LimitsView> {
  readonly name = 'fleet.limits';

  constructor(
    actions: OperatorActions,
    private readonly fleetReader: FleetReader,
    private readonly fleets: FleetsService,
  ) {
    super(actions);
  }

  async run(caller: Caller, { fleetId, wanted, ifVersion }: LimitsParameters, signed: Signed | null): Promise<Answer<LimitsView>> {
    const changing = { ifVersion: ifVersion === null ? null : BigInt(ifVersion), signed };
    return versioned(limitsView(await this.fleets.setLimits(caller, fleetId, wanted, changing)));
  }

  async describe({ operatorId }: Caller, { fleetId, wanted }: LimitsParameters): Promise<Described> {
    const { name } = await this.fleetReader.find(operatorId, fleetId);
    const { changes } = await this.fleetReader.dryRunLimits(operatorId, fleetId, wanted, null);
    return { accountId: null, summary: [`The limits of the fleet ${name} (${fleetId}) are changed.`, ...changes] };
  }
}

/** Closes a fleet for ever. */
@Injectable()
export class FleetCloseAction extends OperatorAction<OfFleet, FleetView> {
  readonly name = 'fleet.close';

  constructor(
    actions: OperatorActions,
    private readonly fleetReader: FleetReader,
    private readonly fleets: FleetsService,
  ) {
    super(actions);
  }

  async run(caller: Caller, { fleetId }: OfFleet, signed: Signed | null): Promise<Answer<FleetView>> {
    return { status: 200, headers: {}, body: await this.fleetReader.view(await this.fleets.close(caller, fleetId, signed)) };
  }

  async describe({ operatorId }: Caller, { fleetId }: OfFleet): Promise<Described> {
    const { name } = await this.fleetReader.find(operatorId, fleetId);
    return { accountId: null, summary: [`The fleet ${name} (${fleetId}) is closed for ever.`] };
  }
}
