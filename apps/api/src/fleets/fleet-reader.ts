import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In } from 'typeorm';
import { Chain, ChainUnavailableError, type FleetSpending } from '#chain';
import { InvalidRequest, NotFound } from '../http/domain.errors';
import { type Page, pageWindow, toPage } from '../lists/pages';
import { changedPolicy, policyChanges, requireVersion, type UpdateFleetPolicyDto } from '../policy';
import { Fleet } from './fleet.entity';
import {
  changedLimits,
  type FleetPolicyDryRunView,
  type FleetPolicyView,
  type FleetSpendingView,
  fleetSpendingView,
  type FleetView,
  fleetView,
  limitsChanges,
  type LimitsDryRunView,
  type LimitsView,
  type ListFleetsQuery,
  type MembershipView,
  type UpdateLimitsDto,
} from './fleets.dto';
import { LimitsVersionOutdated } from './fleets.errors';
import { type FleetRead, FleetsStore } from './fleets.store';

/** Finds fleets, reads their state on chain and shows them. Changes only what is stored of that state. */
@Injectable()
export class FleetReader {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly chain: Chain,
    private readonly store: FleetsStore,
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

  async show(operatorId: string, id: string): Promise<FleetView> {
    return this.view(await this.findEver(operatorId, id));
  }

  /** The fleet with its state on chain. @throws ChainUnavailableError */
  async view(fleet: Fleet): Promise<FleetView> {
    if (fleet.state === 'closed') return fleetView(fleet, null);
    const [current, spending] = await Promise.all([this.read(fleet), this.spendingOf(fleet)]);
    return fleetView(current, spending);
  }

  /** A page of fleets, newest first; as they were last read while the chain is unavailable or does not show them. */
  async list(operatorId: string, query: ListFleetsQuery): Promise<Page<FleetView>> {
    const { where, ...window } = pageWindow(query);
    const fleets = await this.database.manager.find(Fleet, { ...window, where: { ...where, operatorId, state: In(['open', 'closed']) } });
    const views = new Map<string, FleetView>();
    await Promise.all(
      fleets.map(async (fleet) => {
        const view = this.view(fleet).catch((error: unknown) => {
          if (!(error instanceof ChainUnavailableError || error instanceof NotFound)) throw error;
          return fleetView(fleet, null);
        });
        views.set(fleet.id, await view);
      }),
    );
    return toPage(fleets, query, (fleet) => views.get(fleet.id) ?? fleetView(fleet, null));
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

  /** The fleet as the chain has it, stored. @throws ChainUnavailableError, also if the node does not show it; NotFound if it shows it closed */
  async read(fleet: Fleet): Promise<Fleet> {
    return this.store.storeRead(fleet, await this.readChain(fleet));
  }

  private async readChain({ chainAddress, observedSlot }: Fleet): Promise<FleetRead> {
    const slot = Number(observedSlot);
    const [onChain, [policy]] = await Promise.all([
      this.chain.fleets.find(chainAddress, slot),
      this.chain.policies.findMany([chainAddress], slot),
    ]);
    if (!onChain || !policy) throw await this.absent(chainAddress);
    return { fleet: onChain, policy };
  }

  /** The fleet on chain now. @throws ChainUnavailableError, also if the node does not show it; NotFound if it shows it closed */
  async onChain({ chainAddress, observedSlot }: Fleet) {
    const onChain = await this.chain.fleets.find(chainAddress, Number(observedSlot));
    if (!onChain) throw await this.absent(chainAddress);
    return onChain;
  }

  /** The error for a fleet that the service has and a node does not show. */
  private async absent(address: string): Promise<Error> {
    const isClosed = await this.chain.accounts.isClosed(address);
    return isClosed ? new NotFound('There is no such fleet.') : new ChainUnavailableError(`a node does not show the fleet ${address}`);
  }

  /** The fleet as a change at `slot` has left it, stored; null for one that changed nothing. @throws ChainUnavailableError */
  async afterChange(fleet: Fleet, slot: number | null): Promise<Fleet> {
    if (slot !== null) await this.store.noteChange(fleet.id, slot);
    const current = { ...fleet, observedSlot: slot === null || BigInt(slot) < fleet.observedSlot ? fleet.observedSlot : BigInt(slot) };
    return this.store.storeRead(current, await this.readChain(current), slot !== null);
  }

  private spendingOf({ chainAddress, observedSlot }: Fleet): Promise<FleetSpending> {
    return this.chain.fleets.spending(chainAddress, Number(observedSlot));
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

/** @throws LimitsVersionOutdated if `If-Match` names another version. */
export function requireLimitsVersion(version: bigint, ifVersion: bigint | null): void {
  if (ifVersion !== null && version !== ifVersion) throw new LimitsVersionOutdated(version);
}
