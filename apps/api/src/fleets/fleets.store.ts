/** Fleets' rows: one statement per change, with the events that report it. */
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In, MoreThan } from 'typeorm';
import type { ChainFleet, ChainPolicy } from '#chain';
import { execute, hydrate, isId, join, type Row, runPrepared, type Sql, sql } from '#database';
import { type EventToRecord, OutboxService } from '../events';
import { runTransition } from '../persistence/transition';
import { type PolicyFields, asGiven, policyFields } from '../policy';
import { Clock } from '../runtime/clock';
import { Fleet, type LimitsFields } from './fleet.entity';
import { limitsFields } from './fleets.dto';

/** A fleet as it was read from the chain. */
export interface FleetRead {
  fleet: ChainFleet;
  policy: ChainPolicy;
}

@Injectable()
export class FleetsStore {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly outbox: OutboxService,
  ) {}

  /** An operator's fleet that exists on chain, or has; undefined for another's. */
  async findOf(operatorId: string, id: string): Promise<Fleet | undefined> {
    const [row] = isId('flt', id)
      ? await runPrepared(this.database, `SELECT * FROM fleets WHERE id = $1 AND operator_id = $2 AND state <> 'creating'`, [
          id,
          operatorId,
        ])
      : [];
    return row && hydrate(this.database, Fleet, row);
  }

  /** A fleet in any state. @throws Error if it does not exist. */
  find(id: string): Promise<Fleet> {
    return this.database.manager.findOneByOrFail(Fleet, { id });
  }

  /** The operator's fleets among `ids`, of which some may be closed. */
  findMany(operatorId: string, ids: readonly string[]): Promise<Fleet[]> {
    return ids.length === 0
      ? Promise.resolve([])
      : this.database.manager.findBy(Fleet, { id: In(ids.filter((id) => isId('flt', id))), operatorId, state: In(['open', 'closed']) });
  }

  /** The operator's fleet at an address; undefined if the service has none there. */
  async atAddress(operatorId: string, address: string): Promise<Fleet | undefined> {
    const found = await this.database.manager.findOneBy(Fleet, { operatorId, chainAddress: address });
    return found ?? undefined;
  }

  /** The addresses of an operator's fleets that are not closed, including those in creation. */
  async addressesOf(operatorId: string): Promise<string[]> {
    const rows = await execute(
      this.database,
      sql`SELECT chain_address FROM fleets WHERE operator_id = ${operatorId} AND state <> 'closed' ORDER BY id`,
    );
    return rows.map(({ chain_address: address }) => String(address));
  }

  /** The highest slot at which a fleet was seen to change. */
  async observedSlot(id: string): Promise<bigint> {
    const [row] = await runPrepared(this.database, 'SELECT observed_slot FROM fleets WHERE id = $1', [id]);
    return BigInt(String(row?.observed_slot ?? 0));
  }

  /** Raises the observed slot: the fleet, its policy or a membership in it was seen to change at `slot`. */
  async noteChange(id: string, slot: number): Promise<void> {
    await execute(this.database, sql`UPDATE fleets SET observed_slot = ${slot} WHERE id = ${id} AND observed_slot < ${slot}`);
  }

  /** An account joins or leaves a fleet: noted at `at`, of the chain's clock, before the row of the account changes. */
  async noteMembers(id: string, slot: number, at: Date): Promise<void> {
    await execute(
      this.database,
      sql`UPDATE fleets SET observed_slot = GREATEST(observed_slot, ${slot}), members_changed_at = GREATEST(members_changed_at, ${at})
          WHERE id = ${id}`,
    );
  }

  /** The next open fleets of all operators, by id. */
  openAfter(id: string, limit: number): Promise<Fleet[]> {
    return this.database.manager.find(Fleet, { where: { state: 'open', id: MoreThan(id) }, order: { id: 'ASC' }, take: limit });
  }

  /** The fleet exists on chain, with the policy that its creation asked for. */
  async open(id: string, slot: number): Promise<void> {
    await execute(
      this.database,
      sql`UPDATE fleets SET state = 'open', wanted_policy = NULL, observed_slot = GREATEST(observed_slot, ${slot}),
            lease_until = ${this.clock.now()} WHERE id = ${id} AND state = 'creating'`,
    );
  }

  async close(id: string): Promise<void> {
    await execute(this.database, sql`UPDATE fleets SET state = 'closed', members = 0 WHERE id = ${id} AND state = 'open'`);
  }

  /** Keeps the counterparties of the policy as they were given, before the chain has their addresses. */
  async nameCounterparties(id: string, counterparties: Fleet['counterparties']): Promise<void> {
    await execute(this.database, sql`UPDATE fleets SET counterparties = ${JSON.stringify(counterparties)}::jsonb WHERE id = ${id}`);
  }

  /**
   * Stores what was read from the chain. A new version of the policy or of the limits is stored once, with the events that report it.
   * `isSet`: an operator has just set it, so that it counts also if the chain has gone back behind the stored version.
   */
  async storeRead(fleet: Fleet, { fleet: onChain, policy }: FleetRead, isSet = false): Promise<Fleet> {
    const [fields, limits] = [policyFields(policy, asGiven(fleet.counterparties)), limitsFields(onChain.limits)];
    const now = this.clock.now();
    const read = { policy: fields, limits, paused: policy.paused, members: onChain.members, guardian: onChain.guardian };
    const isNewer = policy.version > fleet.policyVersion || onChain.limitsVersion > fleet.limitsVersion;
    const isKnown = policy.version === fleet.policyVersion && onChain.limitsVersion === fleet.limitsVersion;
    const versions = { policyVersion: policy.version, limitsVersion: onChain.limitsVersion };
    const updatedAt = policy.version === fleet.policyVersion ? fleet.policyUpdatedAt : now;
    if (isKnown && onChain.members === fleet.members) return Object.assign(fleet, read);
    if (isKnown || !(isNewer || isSet)) {
      if (isKnown) await execute(this.database, sql`UPDATE fleets SET members = ${onChain.members} WHERE id = ${fleet.id}`);
      return Object.assign(fleet, read, versions);
    }
    const change = sql`UPDATE fleets SET policy = ${JSON.stringify(fields)}::jsonb, policy_version = ${policy.version.toString()},
        policy_updated_at = ${updatedAt}, paused = ${policy.paused}, limits = ${JSON.stringify(limits)}::jsonb,
        limits_version = ${onChain.limitsVersion.toString()}, members = ${onChain.members}
      WHERE id = ${fleet.id} AND policy_version = ${fleet.policyVersion.toString()} AND limits_version = ${fleet.limitsVersion.toString()}
      RETURNING *`;
    await this.withEvents(change, this.eventsOf(fleet, { fields, limits, ...versions }));
    return Object.assign(fleet, read, versions, { policyUpdatedAt: updatedAt });
  }

  private async withEvents(change: Sql, events: EventToRecord[]): Promise<Row | undefined> {
    const [event, ...more] = events.map((each) => this.outbox.row(each));
    const returning = more.map((each) => sql`record_event(${JSON.stringify(each)}::jsonb)`);
    return runTransition(this.database, change, { event, returning: returning.length > 0 ? join(returning) : undefined });
  }

  /** The events of a change between two versions. The policy that a creation asked for is not a change. */
  private eventsOf(
    { id, operatorId, state, policy: oldPolicy, limits: oldLimits, paused: wasPaused }: Fleet,
    {
      fields,
      limits,
      policyVersion,
      limitsVersion,
    }: { fields: PolicyFields; limits: LimitsFields; policyVersion: bigint; limitsVersion: bigint },
  ): EventToRecord[] {
    if (state === 'creating') return [];
    const of = { operatorId, accountId: null, fleetId: id };
    const [policyChanges, limitsChanges] = [
      changedNames(oldPolicy, fields),
      changedNames(oldLimits, limits).map((name) => `limits.${name}`),
    ];
    const event = (version: bigint, changes: string[]): EventToRecord[] =>
      changes.length === 0 ? [] : [{ ...of, type: 'fleet.policy_changed', data: { fleet_id: id, version: Number(version), changes } }];
    const pause: EventToRecord[] =
      wasPaused === fields.paused ? [] : [{ ...of, type: fields.paused ? 'fleet.paused' : 'fleet.resumed', data: { fleet_id: id } }];
    return [...pause, ...event(policyVersion, policyChanges), ...event(limitsVersion, limitsChanges)];
  }
}

/** The fields that differ. */
function changedNames(before: object, after: object): string[] {
  const [old, next] = [before as Record<string, unknown>, after as Record<string, unknown>];
  const names = [...new Set([...Object.keys(old), ...Object.keys(next)])].sort();
  return names.filter((name) => JSON.stringify(old[name]) !== JSON.stringify(next[name]));
}
