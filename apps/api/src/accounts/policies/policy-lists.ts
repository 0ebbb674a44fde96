import { Injectable } from '@nestjs/common';
import { ChainUnavailableError, type Violation } from '#chain';
import { FleetReader } from '../../fleets';
import type { Account } from '../account.entity';
import { AccountsService } from '../accounts.service';
import { StoredPolicies } from './stored-policies';

/** The rules that compare with a list of the policy. */
type ListRule = 'allowed_counterparties' | 'categories';

/** The members of a decline beside the numbers of the chain. */
export interface DeclineFacts {
  /** The entries that the policy which declined allows, as the operator named them; absent for a rule without a list. */
  allowed?: string[];
  /** The fleet whose rule declined. */
  fleetId?: string;
}

/** The lists of policies and the fleets, for declines. */
@Injectable()
export class PolicyLists {
  constructor(
    private readonly accounts: AccountsService,
    private readonly policies: StoredPolicies,
    private readonly fleets: FleetReader,
  ) {}

  async factsOf({ rule, scope }: Violation, { operatorId, accountId }: { operatorId: string; accountId: string }): Promise<DeclineFacts> {
    if (scope === undefined && !isListRule(rule)) return {};
    const account = await this.accounts.findEver(operatorId, accountId);
    const { fleetId } = account;
    if (scope === undefined || fleetId === null) return isListRule(rule) ? allowed((await this.current(account)).policy[rule]) : {};
    if (!isListRule(rule)) return { fleetId };
    return { fleetId, ...allowed((await this.fleets.findEver(operatorId, fleetId)).policy[rule]) };
  }

  /** Whether the account's policy, or its fleet's, lists counterparties, as it was last read. The chain decides; this chooses a way to pay. */
  async listsCounterparties({ operatorId, fleetId, policy }: Account): Promise<boolean> {
    if (policy.allowed_counterparties !== null) return true;
    return fleetId !== null && (await this.fleets.findEver(operatorId, fleetId)).policy.allowed_counterparties !== null;
  }

  /** With the policy on chain, or as it was last read while the chain is unavailable. */
  private async current(account: Account): Promise<Account> {
    try {
      return await this.policies.refresh(account);
    } catch (error) {
      if (error instanceof ChainUnavailableError) return account;
      throw error;
    }
  }
}

function allowed(list: string[] | null): DeclineFacts {
  return list === null ? {} : { allowed: list };
}

function isListRule(rule: string): rule is ListRule {
  return rule === 'allowed_counterparties' || rule === 'categories';
}
