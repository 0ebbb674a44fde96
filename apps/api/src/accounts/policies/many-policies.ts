import { Injectable } from '@nestjs/common';
import { Chain, type ChainPolicy, type PolicyChange, type PolicyTarget, type Signer } from '#chain';
import { NO_POLICY } from '../../policy';
import type { Account } from '../account.entity';
import type { ResolvedChange } from './account-policy.service';
import { AccountsService } from '../accounts.service';
import { StoredPolicies } from './stored-policies';
import { CounterpartyNames } from './counterparty-names';

/** An account whose policy is to be changed, as it was read from the chain. */
export interface Planned {
  account: Account;
  target: PolicyTarget;
}

/** Accounts that obey one operator key, as many as one transaction changes. */
export interface PlannedGroup {
  /** The address of the operator key. */
  operator: string;
  planned: Planned[];
}

/** The plan of a policy change for many accounts. */
export interface PolicyPlan {
  /** Accounts whose policies need no change. */
  asAsked: Account[];
  /** Accounts that the chain does not show at the moment. */
  missing: Account[];
  groups: PlannedGroup[];
}

/** Changes the policies of many accounts alike, as many in one transaction as fit. */
@Injectable()
export class ManyPolicies {
  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly policies: StoredPolicies,
    private readonly names: CounterpartyNames,
  ) {}

  /**
   * Reads the policies of open accounts, and groups those that a change is for. `always`: the ids of accounts that are changed also if
   * they are as asked, because another change of them may be under way. @throws ChainUnavailableError
   */
  async plan(accounts: Account[], change: PolicyChange, always: ReadonlySet<string> = new Set()): Promise<PolicyPlan> {
    const addresses = accounts.map(({ chainAddress }) => chainAddress);
    const slot = Math.max(0, ...accounts.map(({ observedSlot }) => Number(observedSlot)));
    const [onChain, policies] = await Promise.all([
      this.chain.accounts.findMany(addresses, slot),
      this.chain.policies.findMany(addresses, slot),
    ]);
    const plan: PolicyPlan = { asAsked: [], missing: [], groups: [] };
    const present = onChain.filter((found) => found !== null);
    const keys = await this.chain.accounts.operatorsOf(present, slot);
    const operators = new Map(present.map((found, index) => [found, keys[index]]));
    const byOperator = new Map<string, Planned[]>();
    accounts.forEach((account, index) => {
      const found = onChain[index];
      const policy = policies[index] ?? (found?.hasOwnPolicy === false ? NO_POLICY : null);
      if (!found || !policy) return void plan.missing.push(account);
      if (isAsAsked(policy, change) && !always.has(account.id)) return void plan.asAsked.push(account);
      const target = {
        address: account.chainAddress,
        creator: found.creator,
        version: policy.version,
        ...(found.fleet && { fleet: found.fleet }),
      };
      const operator = operators.get(found) ?? found.controller;
      byOperator.set(operator, [...(byOperator.get(operator) ?? []), { account, target }]);
    });
    for (const [operator, planned] of byOperator) plan.groups.push(...this.grouped(operator, planned, change));
    return plan;
  }

  /**
   * Changes the policies of a group in one transaction. Returns whether it was done: not if one of the policies was changed meanwhile.
   * @throws ChainRefusedError, ChainUnavailableError, ChainOutcomeUnknownError; SignatureRequiredError
   */
  async apply({ planned }: PlannedGroup, { change, counterparties }: ResolvedChange, signer: Signer): Promise<boolean> {
    for (const { account } of planned) await this.names.store(account.id, counterparties);
    const targets = planned.map(({ target }) => target);
    const outcome = await this.chain.policies.changeMany(targets, change, signer);
    if (outcome.kind !== 'changed') return false;
    const policies = await this.chain.policies.findMany(
      targets.map(({ address }) => address),
      outcome.slot,
    );
    for (const [index, { account }] of planned.entries()) {
      const policy = policies[index];
      await this.accounts.noteChange(account.id, outcome.slot);
      if (policy) await this.policies.storeSet(account, policy);
    }
    return true;
  }

  private grouped(operator: string, planned: Planned[], change: PolicyChange): PlannedGroup[] {
    const groups: PlannedGroup[] = [];
    for (let rest = planned; rest.length > 0; ) {
      const fitting = this.chain.policies.fitting(
        rest.map(({ target }) => target),
        change,
        { address: operator },
      );
      groups.push({ operator, planned: rest.slice(0, fitting) });
      rest = rest.slice(fitting);
    }
    return groups;
  }
}

/** Whether a policy has what a change sets already. Lists are compared without their order. */
export function isAsAsked(policy: ChainPolicy, change: PolicyChange): boolean {
  return Object.entries(change).every(([field, wanted]) => {
    const current = policy[field as keyof PolicyChange];
    if (wanted instanceof Date && current instanceof Date) return wanted.getTime() === current.getTime();
    return Array.isArray(wanted) && Array.isArray(current) ? sameSet(wanted, current) : wanted === current;
  });
}

function sameSet(one: string[], other: string[]): boolean {
  return one.length === other.length && one.every((entry) => other.includes(entry));
}
