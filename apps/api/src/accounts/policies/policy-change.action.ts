import { Injectable } from '@nestjs/common';
import type { Caller } from '../../http/caller';
import type { UpdatePolicyDto } from '../../policy';
import { type Answer, OperatorAction, OperatorActions, type Signed, versioned } from '../../signatures';
import { AccountPolicyService, type PolicyView } from './account-policy.service';
import { AccountsService } from '../accounts.service';

interface PolicyChangeParameters {
  accountId: string;
  wanted: UpdatePolicyDto;
  /** From `If-Match`; null for any version. */
  ifVersion: string | null;
}

/** Changes a policy: the operator's chain key signs. */
@Injectable()
export class PolicyChangeAction extends OperatorAction<PolicyChangeParameters, PolicyView> {
  readonly name = 'policy.change';

  constructor(
    actions: OperatorActions,
    private readonly policies: AccountPolicyService,
    private readonly accounts: AccountsService,
  ) {
    super(actions);
  }

  async run(caller: Caller, parameters: PolicyChangeParameters, signed: Signed | null): Promise<Answer<PolicyView>> {
    const { accountId, wanted } = parameters;
    const ifVersion = parameters.ifVersion === null ? null : BigInt(parameters.ifVersion);
    // A process that died may have made the change before it could store its answer.
    if (signed?.isRepeated && (await this.changes(caller, parameters)).length === 0)
      return versioned(await this.policies.show(caller.operatorId, accountId));
    return versioned(await this.policies.update(caller, accountId, wanted, { ifVersion, signed }));
  }

  async describe(caller: Caller, parameters: PolicyChangeParameters): Promise<{ accountId: string; summary: string[] }> {
    const { id, name } = await this.accounts.find(caller.operatorId, parameters.accountId);
    return { accountId: id, summary: [`The policy of ${name} (${id}) is changed.`, ...(await this.changes(caller, parameters))] };
  }

  private async changes({ operatorId }: Caller, { accountId, wanted }: PolicyChangeParameters): Promise<string[]> {
    return (await this.policies.dryRun(operatorId, accountId, wanted, null)).changes;
  }
}
