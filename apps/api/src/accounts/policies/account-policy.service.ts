import { Injectable } from '@nestjs/common';
import { AccountHandles } from '../../http/handles';
import { type ChainPolicy, isAddress, type PolicyChange } from '#chain';
import { AuditLog } from '../../audit';
import { FleetReader, type MembershipView } from '../../fleets';
import type { Caller } from '../../http/caller';
import { FeePayerBalance } from '../../runtime/observability/fee-payer-balance';
import { FeePayerEmpty, InvalidRequest, type Offender } from '../../http/domain.errors';
import {
  changedPolicy,
  type GivenCounterparty,
  policyChanges,
  type PolicyFields,
  PolicyService,
  requireVersion,
  toPolicyChange,
  type UpdatePolicyDto,
} from '../../policy';
import type { Account } from '../account.entity';
import type { Signed } from '../../signatures';
import { AccountRecipients } from '../recipients/account-recipients';
import { AccountsService } from '../accounts.service';
import { StoredPolicies } from './stored-policies';
import { CounterpartyNames } from './counterparty-names';

/** The policy of an account, and the fleet that binds it too. */
export interface PolicyView extends PolicyFields {
  account_id: string;
  version: number;
  updated_at: string;
  /** Absent outside of a fleet. */
  fleet?: MembershipView;
}

/** The answer to a dry run of a policy change. */
export interface PolicyDryRunView {
  dry_run: true;
  /** The policy as it would be. Its version and time are the present ones. */
  policy: PolicyView;
  /** One sentence for each field that changes. */
  changes: string[];
}

/** A change of one or many policies, with counterparties resolved. */
export interface ResolvedChange {
  change: PolicyChange;
  counterparties: GivenCounterparty[];
}

/** The policies of accounts, with counterparties as the operator named them. */
@Injectable()
export class AccountPolicyService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly stored: StoredPolicies,
    private readonly recipients: AccountRecipients,
    private readonly policies: PolicyService,
    private readonly names: CounterpartyNames,
    private readonly audit: AuditLog,
    private readonly handles: AccountHandles,
    private readonly feePayer: FeePayerBalance,
    private readonly fleets: FleetReader,
  ) {}

  async show(operatorId: string, accountId: string): Promise<PolicyView> {
    const account = await this.accounts.find(operatorId, accountId);
    return this.view(await this.stored.refresh(account));
  }

  /** The policy that a change would result in. Nothing is stored or sent. @throws what the change would throw before it is sent. */
  async dryRun(operatorId: string, accountId: string, wanted: UpdatePolicyDto, ifVersion: bigint | null): Promise<PolicyDryRunView> {
    await this.resolve(operatorId, wanted.allowed_counterparties);
    const current = await this.show(operatorId, accountId);
    requireVersion(BigInt(current.version), ifVersion);
    const { account_id, version, updated_at, fleet } = current;
    const policy = { account_id, ...changedPolicy(current, wanted), version, updated_at, ...(fleet && { fleet }) };
    return { dry_run: true, policy, changes: policyChanges(current, policy) };
  }

  /**
   * Changes the named fields. `signed`: what the operator has signed, if it holds the chain key.
   * @throws PolicyVersionOutdated if the policy has another version than `ifVersion`; InvalidRequest; PolicyBusy; SignatureRequired;
   * FeePayerEmpty for anything but a pause.
   */
  async update(
    caller: Caller,
    accountId: string,
    wanted: UpdatePolicyDto,
    { ifVersion, signed }: { ifVersion: bigint | null; signed: Signed | null },
  ): Promise<PolicyView> {
    if (wanted.paused !== true && (await this.feePayer.isBelowReserve())) throw new FeePayerEmpty();
    const resolved = await this.resolveChange(caller.operatorId, wanted);
    const account = await this.accounts.find(caller.operatorId, accountId);
    let isRecorded = false;
    const prepare = async (current: ChainPolicy): Promise<void> => {
      if (isRecorded) return;
      await this.record(caller, await this.stored.store(account, current), wanted);
      if (wanted.paused !== undefined) await this.accounts.notePauseDecision(account.id);
      isRecorded = true;
    };
    return this.view(await this.change(account, resolved, { ifVersion, signed, prepare }));
  }

  /** A change with its counterparties' addresses. @throws InvalidRequest; `parent` is what the field's name begins with. */
  async resolveChange(operatorId: string, wanted: UpdatePolicyDto, parent = ''): Promise<ResolvedChange> {
    const { allowed_counterparties: given } = wanted;
    return resolvedChange(wanted, given ? await this.resolve(operatorId, given, parent) : given);
  }

  /** Changes the named fields of a policy, without an entry in the audit log. @throws as `update` */
  async change(
    account: Account,
    { change, counterparties }: ResolvedChange,
    {
      ifVersion = null,
      signed,
      prepare,
    }: { ifVersion?: bigint | null; signed: Signed | null; prepare?: (current: ChainPolicy) => Promise<void> },
  ): Promise<Account> {
    // A signature for another version cannot land, and is not a change for the audit log.
    const operator = (version: bigint | null) => {
      const isUsable = version === null || signed?.policyVersion === version;
      return this.accounts.operatorOf(account, isUsable ? signed : null);
    };
    const storeNames = async (current: ChainPolicy): Promise<void> => {
      await this.names.store(account.id, counterparties);
      await prepare?.(current);
    };
    const isOptional = account.fleetId !== null;
    const { policy, slot } = await this.policies.update(account.chainAddress, {
      change,
      ifVersion,
      operator,
      prepare: storeNames,
      isOptional,
    });
    if (slot !== null) await this.accounts.noteChange(account.id, slot);
    return slot === null ? this.stored.store(account, policy) : this.stored.storeSet(account, policy);
  }

  /** A policy with the fleet that binds the account too. */
  private async view({ operatorId, id, policy, policyVersion, policyUpdatedAt, fleetId }: Account): Promise<PolicyView> {
    const fleet = fleetId === null ? undefined : await this.fleets.membership(operatorId, fleetId);
    const times = { version: Number(policyVersion), updated_at: policyUpdatedAt.toISOString() };
    return { account_id: id, ...policy, ...times, ...(fleet && { fleet }) };
  }

  /** Records the named fields of a policy before and after a change. */
  private record(caller: Caller, { id, policy }: Account, wanted: UpdatePolicyDto): Promise<void> {
    const changed = changedPolicy(policy, wanted);
    const named = (fields: PolicyFields) =>
      Object.fromEntries(Object.keys(wanted).map((name) => [name, fields[name as keyof PolicyFields] ?? null]));
    return this.audit.record(caller, { action: 'policy.changed', object: id, before: named(policy), after: named(changed) });
  }

  /**
   * The addresses of counterparties; none without a list. `parent` is what the field's name begins with.
   * @throws InvalidRequest with every one that is malformed, unknown or listed twice
   */
  async resolve(operatorId: string, given: string[] | null | undefined, parent = ''): Promise<GivenCounterparty[]> {
    if (!given) return [];
    const ids = await this.handles.idsOf(operatorId, given);
    const accounts = await this.recipients.findMany(operatorId, [...given, ...ids.values()]);
    const own = new Map(accounts.map(({ id, chainAddress }) => [id, chainAddress]));
    const offenders: Offender[] = [];
    const seen = new Set<string>();
    const resolved = given.map((name, index) => {
      const address = own.get(ids.get(name) ?? name) ?? name;
      const field = `${parent}allowed_counterparties[${index}]`;
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

/** A change with the counterparties that it names; null and undefined as the field is. */
export function resolvedChange(wanted: UpdatePolicyDto, counterparties: GivenCounterparty[] | null | undefined): ResolvedChange {
  const addresses = counterparties ? counterparties.map(({ address }) => address) : counterparties;
  return { change: toPolicyChange(wanted, addresses), counterparties: counterparties ?? [] };
}
