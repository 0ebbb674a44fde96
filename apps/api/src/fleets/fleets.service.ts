import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In } from 'typeorm';
import {
  Chain,
  ChainUnavailableError,
  type ChainFleet,
  type FleetSpending,
  type PolicyChange,
  SignatureRequiredError,
  type Signer,
} from '#chain';
import { hydrate, type Row, sql } from '#database';
import { AuditLog } from '../audit';
import type { Caller } from '../http/caller';
import { FeePayerEmpty, InvalidRequest, NotFound } from '../http/domain.errors';
import { OperatorsService } from '../keys';
import { type Page, pageWindow, toPage } from '../lists/pages';
import { mergedMetadata, tooManyKeys } from '../lists/references';
import {
  applyVersioned,
  changedPolicy,
  type GivenCounterparty,
  policyChanges,
  PolicyService,
  requireVersion,
  toPolicyChange,
  type UpdateFleetPolicyDto,
} from '../policy';
import { Failpoints } from '../runtime/failpoints';
import { FeePayerBalance } from '../runtime/fee-payer-balance';
import { SignatureRequired, type Signed } from '../signatures';
import { Fleet } from './fleet.entity';
import {
  type ChangeFleetDto,
  changedLimits,
  type FleetPolicyDryRunView,
  type FleetPolicyView,
  type FleetSpendingView,
  fleetSpendingView,
  type FleetView,
  fleetView,
  limitsChanges,
  type LimitsDryRunView,
  limitsFields,
  type LimitsView,
  type ListFleetsQuery,
  type MembershipView,
  toLimitsChange,
  type UpdateLimitsDto,
} from './fleets.dto';
import { FleetInUse, LimitsBusy, LimitsVersionOutdated } from './fleets.errors';
import { type FleetRead, FleetsStore } from './fleets.store';

/** A change of a fleet's policy, with the counterparties that it names. */
interface NamedChange {
  wanted: UpdateFleetPolicyDto;
  counterparties: GivenCounterparty[];
}

export interface Changing {
  /** From `If-Match`; null for any version. */
  ifVersion: bigint | null;
  /** The operator's signature, if it holds the chain key. */
  signed: Signed | null;
}

/** Fleets: their rows, and their state on chain, which is the truth. */
@Injectable()
export class FleetsService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly chain: Chain,
    private readonly store: FleetsStore,
    private readonly policies: PolicyService,
    private readonly operators: OperatorsService,
    private readonly audit: AuditLog,
    private readonly feePayer: FeePayerBalance,
    private readonly failpoints: Failpoints,
  ) {}

  /** An operator's fleet that is not closed. @throws NotFound */
  async find(operatorId: string, id: string): Promise<Fleet> {
    const fleet = await this.findEver(operatorId, id);
    if (fleet.state === 'closed') throw new NotFound('There is no such fleet.');
    return fleet;
  }

  /** An operator's fleet, also a closed one. @throws NotFound */
  async findEver(operatorId: string, id: string): Promise<Fleet> {
    const fleet = await this.store.findOf(operatorId, id);
    if (!fleet) throw new NotFound('There is no such fleet.');
    return fleet;
  }

  /** Fleets in the order of their ids as given, with the number of members as last read. */
  async summaries(operatorId: string, ids: readonly string[]): Promise<{ fleet_id: string; name: string; members: number }[]> {
    const fleets = new Map((await this.store.findMany(operatorId, ids)).map((fleet) => [fleet.id, fleet]));
    return ids.flatMap((id) => fleets.get(id) ?? []).map(({ id, name, members }) => ({ fleet_id: id, name, members }));
  }

  /** An operator's fleet that an account may join. @throws InvalidRequest naming `field` */
  async joinable(operatorId: string, id: string, field = 'fleet_id'): Promise<Fleet> {
    const fleet = await this.store.findOf(operatorId, id);
    if (fleet?.state !== 'open') throw InvalidRequest.field(field, 'names no fleet of this operator');
    return fleet;
  }

  /** The signer that adds accounts to a fleet: of the guardian where that is a key of the service, else of the operator. */
  adderOf(fleet: Fleet): Promise<Signer> {
    return this.signerOf(fleet, null, true);
  }

  async show(operatorId: string, id: string): Promise<FleetView> {
    return this.view(await this.findEver(operatorId, id));
  }

  /** The fleet with its state on chain. @throws ChainUnavailableError */
  async view(fleet: Fleet): Promise<FleetView> {
    if (fleet.state === 'closed') return fleetView(fleet, null);
    const [current, spending] = await Promise.all([this.read(fleet), this.spendingOf(fleet)]);
    return fleetView(current, spending);
  }

  /** A page of fleets, newest first. While the chain is unavailable, as they were last read. */
  async list(operatorId: string, query: ListFleetsQuery): Promise<Page<FleetView>> {
    const { where, ...window } = pageWindow(query);
    const fleets = await this.database.manager.find(Fleet, { ...window, where: { ...where, operatorId, state: In(['open', 'closed']) } });
    const views = new Map<string, FleetView>();
    await Promise.all(
      fleets.map(async (fleet) => {
        const view = this.view(fleet).catch((error: unknown) => {
          if (!(error instanceof ChainUnavailableError)) throw error;
          return fleetView(fleet, null);
        });
        views.set(fleet.id, await view);
      }),
    );
    return toPage(fleets, query, (fleet) => views.get(fleet.id) ?? fleetView(fleet, null));
  }

  /** Changes the named fields, which are in the database only. */
  async change(caller: Caller, id: string, { name, metadata }: ChangeFleetDto): Promise<FleetView> {
    const fleet = await this.find(caller.operatorId, id);
    const { merged, fits } = mergedMetadata(metadata);
    const update = sql`UPDATE fleets SET name = COALESCE(${name ?? null}, name), metadata = ${merged}
      WHERE id = ${fleet.id} AND ${fits} RETURNING *`;
    const changed = await this.database.transaction(async (manager) => {
      const before = await manager.findOneOrFail(Fleet, { where: { id }, lock: { mode: 'for_no_key_update' } });
      const [[row]] = (await manager.query(update.text, update.values)) as [Row[], number];
      if (!row) throw tooManyKeys();
      const after = hydrate(this.database, Fleet, row);
      const audited = { before: labelOf(before), after: labelOf(after) };
      await this.audit.record(caller, { action: 'fleet.changed', object: id, ...audited }, manager);
      return after;
    });
    return this.view(changed);
  }

  async spending(operatorId: string, id: string): Promise<FleetSpendingView> {
    const fleet = await this.find(operatorId, id);
    const [current, spending] = await Promise.all([this.read(fleet), this.spendingOf(fleet)]);
    return fleetSpendingView(current, spending);
  }

  async policy(operatorId: string, id: string): Promise<FleetPolicyView> {
    return policyView(await this.read(await this.find(operatorId, id)));
  }

  /** A fleet as the policy of a member shows it. */
  async membership(operatorId: string, id: string): Promise<MembershipView> {
    const { policy, limits } = await this.read(await this.find(operatorId, id));
    return { fleet_id: id, policy, limits };
  }

  async limits(operatorId: string, id: string): Promise<LimitsView> {
    return limitsView(await this.read(await this.find(operatorId, id)));
  }

  /** The policy that a change would result in. Nothing is stored or sent. @throws what the change would throw before it is sent. */
  async dryRunPolicy(
    operatorId: string,
    id: string,
    wanted: UpdateFleetPolicyDto,
    ifVersion: bigint | null,
  ): Promise<FleetPolicyDryRunView> {
    const current = await this.policy(operatorId, id);
    requireVersion(BigInt(current.version), ifVersion);
    const { fleet_id, version, updated_at } = current;
    const policy = { fleet_id, ...changedPolicy(current, wanted), version, updated_at };
    return { dry_run: true, policy, changes: policyChanges(current, policy).map(ofFleet) };
  }

  async dryRunLimits(operatorId: string, id: string, wanted: UpdateLimitsDto, ifVersion: bigint | null): Promise<LimitsDryRunView> {
    const current = await this.limits(operatorId, id);
    requireLimitsVersion(BigInt(current.version), ifVersion);
    const limits = { ...current, ...changedLimits(current, wanted) };
    return { dry_run: true, limits, changes: limitsChanges(current, limits) };
  }

  /**
   * Changes the named fields of a fleet's policy. Pausing alone needs no operator where the service's key is the guardian.
   * @throws PolicyVersionOutdated, PolicyBusy, InvalidRequest, SignatureRequired; FeePayerEmpty for anything but a pause
   */
  async setPolicy(caller: Caller, id: string, { wanted, counterparties }: NamedChange, { ifVersion, signed }: Changing): Promise<Fleet> {
    if (wanted.paused !== true && (await this.feePayer.isBelowReserve())) throw new FeePayerEmpty();
    const { allowed_counterparties: given } = wanted;
    const fleet = await this.find(caller.operatorId, id);
    const addresses = given ? counterparties.map(({ address }) => address) : given;
    const change: PolicyChange = toPolicyChange(wanted, addresses);
    let isRecorded = false;
    const prepare = async (): Promise<void> => {
      if (isRecorded) return;
      isRecorded = true;
      if (given !== undefined) await this.store.nameCounterparties(id, counterparties);
      await this.record(caller, 'fleet.policy_changed', id, fleet.policy, wanted);
    };
    const operator = async (version: bigint | null): Promise<Signer> =>
      this.signerOf(fleet, version === null || signed?.policyVersion === version ? signed : null, version === null);
    const { slot } = await this.policies.update(fleet.chainAddress, { change, ifVersion, operator, prepare });
    return this.afterChange({ ...fleet, ...(given !== undefined && { counterparties }) }, slot);
  }

  /** Changes the named limits. @throws LimitsVersionOutdated, LimitsBusy, SignatureRequired, FeePayerEmpty */
  async setLimits(caller: Caller, id: string, wanted: UpdateLimitsDto, { ifVersion, signed }: Changing): Promise<Fleet> {
    if (await this.feePayer.isBelowReserve()) throw new FeePayerEmpty();
    const fleet = await this.find(caller.operatorId, id);
    const change = toLimitsChange(wanted);
    let isRecorded = false;
    const { slot } = await applyVersioned<ChainFleet>({
      read: async () => {
        const onChain = await this.onChain(fleet);
        requireLimitsVersion(onChain.limitsVersion, ifVersion);
        return onChain;
      },
      versionOf: ({ limitsVersion }) => limitsVersion,
      isEmpty: Object.keys(change).length === 0,
      signer: (version) => this.signerOf(fleet, signed?.policyVersion === version ? signed : null),
      prepare: async ({ limits }) => {
        if (!isRecorded) await this.record(caller, 'fleet.limits_changed', id, limitsFields(limits), wanted);
        isRecorded = true;
      },
      send: (version, signer) => this.chain.fleets.setLimits(fleet.chainAddress, change, version, signer),
      busy: () => new LimitsBusy(),
    });
    return slot === null ? this.read(fleet) : this.afterChange(fleet, slot);
  }

  /** Closes a fleet for ever. @throws FleetInUse with members; SignatureRequired */
  async close(caller: Caller, id: string, signed: Signed | null): Promise<Fleet> {
    const fleet = await this.findEver(caller.operatorId, id);
    if (fleet.state === 'closed') return fleet;
    const onChain = await this.chain.fleets.find(fleet.chainAddress, Number(fleet.observedSlot));
    if (onChain && onChain.members > 0) throw new FleetInUse(onChain.members);
    if (onChain) {
      const signer = await this.signerOf(fleet, signed);
      const { slot } = await this.chain.fleets.close(onChain, signer);
      this.failpoints.pass('fleet.closed');
      await this.store.noteChange(id, slot);
    }
    await this.audit.record(caller, { action: 'fleet.closed', object: id, before: labelOf(fleet) });
    await this.store.close(id);
    return this.findEver(caller.operatorId, id);
  }

  /** The signer of the fleet's operator on chain; `isByGuardian`: of its guardian, where that is a key of the service. */
  async signerOf(fleet: Fleet, signed: Signed | null, isByGuardian = false): Promise<Signer> {
    const onChain = await this.onChain(fleet);
    const guardian = isByGuardian ? this.chain.fleets.guardianOf(onChain) : undefined;
    const signer = guardian ?? (await this.operators.signer(fleet.operatorId, onChain.operator, signed?.held));
    if (!signer) throw new NotFound('There is no such fleet.');
    return signer;
  }

  /** The fleet as the chain has it, stored. @throws ChainUnavailableError; NotFound */
  async read(fleet: Fleet): Promise<Fleet> {
    return this.store.storeRead(fleet, await this.readChain(fleet));
  }

  private async readChain({ chainAddress, observedSlot }: Fleet): Promise<FleetRead> {
    const slot = Number(observedSlot);
    const [onChain, [policy]] = await Promise.all([
      this.chain.fleets.find(chainAddress, slot),
      this.chain.policies.findMany([chainAddress], slot),
    ]);
    if (!onChain || !policy) throw new NotFound('There is no such fleet.');
    return { fleet: onChain, policy };
  }

  private async onChain({ chainAddress, observedSlot }: Fleet) {
    const onChain = await this.chain.fleets.find(chainAddress, Number(observedSlot));
    if (!onChain) throw new NotFound('There is no such fleet.');
    return onChain;
  }

  /** Stores what a change at `slot` has made. */
  private async afterChange(fleet: Fleet, slot: number | null): Promise<Fleet> {
    if (slot !== null) await this.store.noteChange(fleet.id, slot);
    const current = { ...fleet, observedSlot: slot === null || BigInt(slot) < fleet.observedSlot ? fleet.observedSlot : BigInt(slot) };
    return this.store.storeRead(current, await this.readChain(current), slot !== null);
  }

  private spendingOf({ chainAddress, observedSlot }: Fleet): Promise<FleetSpending> {
    return this.chain.fleets.spending(chainAddress, Number(observedSlot));
  }

  /** Records the named fields before and after a change. */
  private record(
    caller: Caller,
    action: 'fleet.policy_changed' | 'fleet.limits_changed',
    object: string,
    current: object,
    wanted: object,
  ): Promise<void> {
    const names = Object.keys(wanted);
    const named = (fields: object) => Object.fromEntries(names.map((name) => [name, (fields as Record<string, unknown>)[name] ?? null]));
    return this.audit.record(caller, { action, object, before: named(current), after: named(wanted) });
  }
}

/** A sentence of a change of an account's policy, for a fleet. */
export const ofFleet = (sentence: string): string => sentence.replace('The account is', 'The fleet is');

export function policyView({ id, policy, policyVersion, policyUpdatedAt }: Fleet): FleetPolicyView {
  return { fleet_id: id, ...policy, version: Number(policyVersion), updated_at: policyUpdatedAt.toISOString() };
}

export function limitsView({ id, limits, limitsVersion }: Fleet): LimitsView {
  return { fleet_id: id, ...limits, version: Number(limitsVersion) };
}

function labelOf({ name, metadata }: Fleet): Record<string, unknown> {
  return { name, metadata };
}

/** @throws LimitsVersionOutdated where `If-Match` names another version. */
function requireLimitsVersion(version: bigint, ifVersion: bigint | null): void {
  if (ifVersion !== null && version !== ifVersion) throw new LimitsVersionOutdated(version);
}

/** Whether an error asks for the operator's signature. */
export const asksForSignature = (error: unknown): boolean => error instanceof SignatureRequiredError || error instanceof SignatureRequired;
