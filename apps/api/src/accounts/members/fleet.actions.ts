/** Joining, leaving and ending a member's own policy, as actions that the operator's chain key signs. */
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../http/caller';
import { type Answer, OperatorAction, OperatorActions, type Signed } from '../../signatures';
import { AccountFleetService } from './account-fleet.service';
import type { AccountView } from '../accounts.dto';
import { AccountViews } from '../state/account-views';
import { AccountsService } from '../accounts.service';

type Described = { accountId: string; summary: string[] };

interface PutFleetParameters {
  accountId: string;
  fleetId: string | null;
}

/** Puts an account into a fleet, or out of any. */
@Injectable()
export class PutFleetAction extends OperatorAction<PutFleetParameters, AccountView> {
  readonly name = 'account.fleet';

  constructor(
    actions: OperatorActions,
    private readonly fleets: AccountFleetService,
    private readonly accounts: AccountsService,
    private readonly views: AccountViews,
  ) {
    super(actions);
  }

  async run(caller: Caller, { accountId, fleetId }: PutFleetParameters, signed: Signed | null): Promise<Answer<AccountView>> {
    const account = await this.fleets.put(caller, accountId, fleetId, signed);
    return { status: 200, headers: {}, body: await this.views.view(account) };
  }

  async describe({ operatorId }: Caller, { accountId, fleetId }: PutFleetParameters): Promise<Described> {
    const { id, name, hasOwnPolicy } = await this.accounts.find(operatorId, accountId);
    const leaving = hasOwnPolicy ? [] : ['It has no policy of its own, and gets a paused one.'];
    const summary = fleetId === null ? [`${name} (${id}) leaves its fleet.`, ...leaving] : [`${name} (${id}) joins the fleet ${fleetId}.`];
    return { accountId: id, summary };
  }
}

interface EndPolicyParameters {
  accountId: string;
  /** From `If-Match`; null for any version. */
  ifVersion: string | null;
}

/** Ends the policy of a member itself. */
@Injectable()
export class EndPolicyAction extends OperatorAction<EndPolicyParameters, object> {
  readonly name = 'policy.end';

  constructor(
    actions: OperatorActions,
    private readonly fleets: AccountFleetService,
    private readonly accounts: AccountsService,
  ) {
    super(actions);
  }

  async run(caller: Caller, { accountId, ifVersion }: EndPolicyParameters, signed: Signed | null): Promise<Answer<object>> {
    await this.fleets.endPolicy(caller, accountId, ifVersion === null ? null : BigInt(ifVersion), signed);
    return { status: 204, headers: {}, body: {} };
  }

  async describe({ operatorId }: Caller, { accountId }: EndPolicyParameters): Promise<Described> {
    const { id, name } = await this.accounts.find(operatorId, accountId);
    return { accountId: id, summary: [`The own policy of ${name} (${id}) ends: its fleet's policy and limits bind it.`] };
  }
}
