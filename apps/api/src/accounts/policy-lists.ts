import { Injectable } from '@nestjs/common';
import { ChainUnavailableError } from '#chain';
import { PolicyService } from '../policy';
import type { Account } from './account.entity';
import { AccountsService } from './accounts.service';

/** The rules that compare with a list of the policy. */
type ListRule = 'allowed_counterparties' | 'categories';

/** The lists of policies, for declines by a list. */
@Injectable()
export class PolicyLists {
  constructor(
    private readonly accounts: AccountsService,
    private readonly policies: PolicyService,
  ) {}

  /** The entries that an account's policy allows by a rule, as the operator named it; undefined for a rule without a list. */
  async allowedBy(rule: string, { operatorId, accountId }: { operatorId: string; accountId: string }): Promise<string[] | undefined> {
    if (!isListRule(rule)) return undefined;
    const account = await this.current(await this.accounts.findEver(operatorId, accountId));
    return account.policy[rule] ?? undefined;
  }

  /** With the policy on chain, or as it was last read while the chain is unavailable. */
  private async current(account: Account): Promise<Account> {
    try {
      return await this.accounts.storePolicy(account, await this.policies.read(account.chainAddress));
    } catch (error) {
      if (error instanceof ChainUnavailableError) return account;
      throw error;
    }
  }
}

function isListRule(rule: string): rule is ListRule {
  return rule === 'allowed_counterparties' || rule === 'categories';
}
