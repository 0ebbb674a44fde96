import { Injectable } from '@nestjs/common';
import { isAddress } from '#chain';
import { InvalidRequest, type Offender } from '../http/domain.errors';
import { PolicyService, type PolicyView, toPolicyChange, type UpdatePolicyDto } from '../policy';
import type { Account } from './account.entity';
import { AccountsService } from './accounts.service';
import { CounterpartyNames } from './counterparty-names';

/** The policies of accounts, with counterparties as the operator named them. */
@Injectable()
export class AccountPolicyService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly policies: PolicyService,
    private readonly names: CounterpartyNames,
  ) {}

  async show(operatorId: string, accountId: string): Promise<PolicyView> {
    const account = await this.accounts.find(operatorId, accountId);
    return view(await this.accounts.storePolicy(account, await this.policies.read(account.chainAddress)));
  }

  /**
   * Changes the named fields. @throws PolicyVersionOutdated where the policy has another version than `ifVersion`; InvalidRequest;
   * PolicyBusy
   */
  async update(operatorId: string, accountId: string, wanted: UpdatePolicyDto, ifVersion: bigint | null): Promise<PolicyView> {
    const counterparties = wanted.allowed_counterparties
      ? await this.resolve(operatorId, wanted.allowed_counterparties)
      : wanted.allowed_counterparties;
    const account = await this.accounts.find(operatorId, accountId);
    const change = toPolicyChange(wanted, counterparties?.map(({ address }) => address) ?? (counterparties === null ? null : undefined));
    const operator = () => this.accounts.operatorOf(account);
    const prepare = () => this.names.store(account.id, counterparties ?? []);
    const { policy, slot } = await this.policies.update(account.chainAddress, { change, ifVersion, operator, prepare });
    if (slot !== null) await this.accounts.noteChange(account.id, slot);
    return view(await this.accounts.storePolicy(account, policy));
  }

  /** The addresses of counterparties. @throws InvalidRequest with every one that is malformed, unknown or listed twice. */
  private async resolve(operatorId: string, given: string[]): Promise<{ address: string; given: string }[]> {
    const own = new Map((await this.accounts.findMany(operatorId, given)).map(({ id, chainAddress }) => [id, chainAddress]));
    const offenders: Offender[] = [];
    const seen = new Set<string>();
    const resolved = given.map((name, index) => {
      const address = own.get(name) ?? name;
      const field = `allowed_counterparties[${index}]`;
      if (!isAddress(address)) offenders.push({ field, message: 'is neither a chain address nor an account of this operator' });
      else if (seen.has(address))
        offenders.push({ field, message: 'is listed twice: an account and its own address are the same counterparty' });
      seen.add(address);
      return { address, given: name };
    });
    if (offenders.length > 0) throw new InvalidRequest(offenders);
    return resolved;
  }
}

function view({ id, policy, policyVersion, policyUpdatedAt }: Account): PolicyView {
  return { account_id: id, ...policy, version: Number(policyVersion), updated_at: policyUpdatedAt.toISOString() };
}
