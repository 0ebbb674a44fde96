import { Injectable } from '@nestjs/common';
import { type ChainPolicy, isAddress } from '#chain';
import { AuditLog } from '../audit';
import type { Caller } from '../http/caller';
import { InvalidRequest, type Offender } from '../http/domain.errors';
import {
  changedPolicy,
  policyChanges,
  type PolicyFields,
  PolicyService,
  type PolicyView,
  requireVersion,
  toPolicyChange,
  type UpdatePolicyDto,
} from '../policy';
import type { Account } from './account.entity';
import type { Signed } from '../signatures';
import { AccountsService } from './accounts.service';
import { CounterpartyNames } from './counterparty-names';

/** The answer to a dry run of a policy change. */
export interface PolicyDryRunView {
  dry_run: true;
  /** The policy as it would be. Its version and time are the present ones. */
  policy: PolicyView;
  /** One sentence for each field that changes. */
  changes: string[];
}

/** The policies of accounts, with counterparties as the operator named them. */
@Injectable()
export class AccountPolicyService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly policies: PolicyService,
    private readonly names: CounterpartyNames,
    private readonly audit: AuditLog,
  ) {}

  async show(operatorId: string, accountId: string): Promise<PolicyView> {
    const account = await this.accounts.find(operatorId, accountId);
    return view(await this.accounts.storePolicy(account, await this.policies.read(account.chainAddress)));
  }

  /** What a change would make of the policy. Nothing is stored or sent. @throws what the change would throw before it is sent. */
  async dryRun(operatorId: string, accountId: string, wanted: UpdatePolicyDto, ifVersion: bigint | null): Promise<PolicyDryRunView> {
    if (wanted.allowed_counterparties) await this.resolve(operatorId, wanted.allowed_counterparties);
    const current = await this.show(operatorId, accountId);
    requireVersion(BigInt(current.version), ifVersion);
    const { account_id, version, updated_at } = current;
    const policy = { account_id, ...changedPolicy(current, wanted), version, updated_at };
    return { dry_run: true, policy, changes: policyChanges(current, policy) };
  }

  /**
   * Changes the named fields. `signed`: what the operator has signed, where it holds the chain key.
   * @throws PolicyVersionOutdated where the policy has another version than `ifVersion`; InvalidRequest; PolicyBusy; SignatureRequired
   */
  async update(
    caller: Caller,
    accountId: string,
    wanted: UpdatePolicyDto,
    { ifVersion, signed }: { ifVersion: bigint | null; signed: Signed | null },
  ): Promise<PolicyView> {
    const { operatorId } = caller;
    const counterparties = wanted.allowed_counterparties
      ? await this.resolve(operatorId, wanted.allowed_counterparties)
      : wanted.allowed_counterparties;
    const account = await this.accounts.find(operatorId, accountId);
    const change = toPolicyChange(wanted, counterparties?.map(({ address }) => address) ?? (counterparties === null ? null : undefined));
    // What was signed for another version cannot land, and is no change for the audit log.
    const operator = (version: bigint | null) => {
      const isUsable = version === null || signed?.policyVersion === version;
      return this.accounts.operatorOf(account, isUsable ? signed : null);
    };
    let isRecorded = false;
    const prepare = async (current: ChainPolicy): Promise<void> => {
      await this.names.store(account.id, counterparties ?? []);
      if (!isRecorded) await this.record(caller, await this.accounts.storePolicy(account, current), wanted);
      isRecorded = true;
    };
    const { policy, slot } = await this.policies.update(account.chainAddress, { change, ifVersion, operator, prepare });
    if (slot !== null) await this.accounts.noteChange(account.id, slot);
    return view(await this.accounts.storePolicy(account, policy));
  }

  /** Records the named fields of a policy before and after a change. */
  private record(caller: Caller, { id, policy }: Account, wanted: UpdatePolicyDto): Promise<void> {
    const changed = changedPolicy(policy, wanted);
    const named = (fields: PolicyFields) =>
      Object.fromEntries(Object.keys(wanted).map((name) => [name, fields[name as keyof PolicyFields] ?? null]));
    return this.audit.record(caller, { action: 'policy.changed', object: id, before: named(policy), after: named(changed) });
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
