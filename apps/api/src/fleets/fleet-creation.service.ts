import { createHash } from 'node:crypto';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Chain } from '#chain';
import { hydrate, idBytes, newId, type Row, sql } from '#database';
import { canonicalJson } from '#mpp';
import { AuditLog } from '../audit';
import type { Caller } from '../http/caller';
import { FeePayerEmpty } from '../http/domain.errors';
import { JobsService } from '../jobs/jobs.service';
import { OperatorsService } from '../keys';
import { creationKeys, type IdempotencyKeys } from '../persistence/idempotency';
import { Lease } from '../persistence/lease';
import { DEFAULT_POLICY, PolicyService, toPolicyChange } from '../policy';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';
import { FeePayerBalance } from '../runtime/observability/fee-payer-balance';
import { messageOf } from '../runtime/observability/message-of';
import type { Signed } from '../signatures';
import { LostCreations } from '../secrets';
import { Failpoints } from '../runtime/failpoints';
import { Fleet } from './fleet.entity';
import { FleetMacs } from './fleet-macs';
import { type CreateFleetDto, toLimitsChange } from './fleets.dto';
import { FleetKeyConflict } from './fleets.errors';
import { FleetReader } from './fleet-reader';
import { asksForSignature, FleetsService } from './fleets.service';
import { FleetsStore } from './fleets.store';

const RECOVERY_EVERY_MS = 5_000;
const RECOVERY_BATCH = 20;
/** The version of a policy that was never changed. */
const FIRST_VERSION = 1n;

/** A fleet that is to be created, with the counterparties that its policy names. */
interface WantedFleet {
  wanted: CreateFleetDto;
  counterparties: Fleet['counterparties'];
}

/** Creates fleets: stores the row, creates the fleet on chain with its limits, sets its policy, then marks the row as open. */
@Injectable()
export class FleetCreationService implements OnModuleInit {
  private readonly logger = new Logger('Fleets');
  private readonly keys: IdempotencyKeys;
  private readonly lease: Lease;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly store: FleetsStore,
    private readonly fleetReader: FleetReader,
    private readonly fleets: FleetsService,
    private readonly policies: PolicyService,
    private readonly operators: OperatorsService,
    private readonly macs: FleetMacs,
    private readonly audit: AuditLog,
    private readonly feePayer: FeePayerBalance,
    private readonly jobs: JobsService,
    private readonly lost: LostCreations,
    private readonly failpoints: Failpoints,
  ) {
    this.lease = new Lease(database, clock, { table: 'fleets', durationMs: config.LEASE_MS });
    this.keys = creationKeys(database, clock, { table: 'fleets', isOver: sql`state <> 'creating'` });
  }

  onModuleInit(): void {
    this.jobs.register({ name: 'fleet-creation', everyMs: RECOVERY_EVERY_MS, run: () => this.finishOverdue() });
  }

  /**
   * Stores a fleet that is to be created, or finds the one that an equal request stored with the same key. Returns its id.
   * @throws FleetKeyConflict for other parameters; InvalidRequest; FeePayerEmpty
   */
  async place(
    caller: Caller,
    { wanted, counterparties }: WantedFleet,
    creationKey: string | undefined,
  ): Promise<{ id: string; isReplay: boolean }> {
    const { operatorId } = caller;
    if (await this.feePayer.isBelowReserve()) throw new FeePayerEmpty();
    const creationHash = createHash('sha256')
      .update(canonicalJson(JSON.parse(JSON.stringify(wanted))))
      .digest();
    const draft = await this.draft(operatorId, wanted, counterparties, creationKey);
    const until = new Date(this.clock.now().getTime() + this.config.IDEMPOTENCY_TTL_SECONDS * 1000);
    const keyed = creationKey === undefined ? draft : { ...draft, creationKey, creationHash, creationKeyUntil: until };
    const insert = (): Promise<Row | undefined> =>
      this.database.transaction(async (manager) => {
        const builder = manager.createQueryBuilder().insert().into(Fleet).values(keyed).orIgnore().returning('id');
        const [row] = (await builder.execute()).raw as Row[];
        const after = { name: wanted.name, policy: wanted.policy ?? null, limits: wanted.limits ?? null };
        if (row) await this.audit.record(caller, { action: 'fleet.created', object: draft.id, after }, manager);
        return row;
      });
    if (creationKey === undefined) {
      await insert();
      return { id: draft.id, isReplay: false };
    }
    if (!(await this.keys.holder([operatorId], creationKey))) {
      // It is finished again: its creation may have ended before it had its policy.
      const [name, state] = [draft.name, 'creating'];
      const [metadata, wanted_policy, counterparties] = [draft.metadata, draft.wantedPolicy, draft.counterparties].map((value) =>
        value === null ? null : JSON.stringify(value),
      );
      const columns = { name, state, metadata, wanted_policy, counterparties };
      await this.lost.claim('fleets', { ...draft, creationKey, creationHash, creationKeyUntil: until }, columns);
    }
    const { row, isNew } = await this.keys.insertOnce([operatorId], creationKey, insert);
    if (isNew) return { id: draft.id, isReplay: false };
    const earlier = hydrate(this.database, Fleet, row);
    if (!earlier.creationHash?.equals(creationHash)) throw new FleetKeyConflict();
    return { id: earlier.id, isReplay: true };
  }

  /** Creates a stored fleet on chain as far as it is not. `signed`: what the operator has signed, if it holds the chain key. */
  async finish(operatorId: string, id: string, signed: Signed | null): Promise<Fleet> {
    const fleet = await this.store.find(id);
    if (fleet.operatorId !== operatorId || fleet.state !== 'creating') return this.fleetReader.findEver(operatorId, id);
    this.failpoints.pass('fleet.inserted');
    const planned = await this.plannedHere(fleet);
    const { chainKey, pendingChainKey } = await this.operators.find(operatorId);
    const key = pendingChainKey ?? chainKey;
    // A signature of the policy is for its version.
    const operator = await this.operators.signer(operatorId, key, signed?.policyVersion === undefined ? signed?.held : null);
    if (!operator) throw new Error(`the chain key of ${operatorId} is missing`);
    const { maxDailySpend = null, maxMonthlySpend = null, maxLifetimeSpend = null } = toLimitsChange(planned.limits);
    const limits = { maxDailySpend, maxMonthlySpend, maxLifetimeSpend };
    const { chainAddress: address, guardian } = planned;
    const created = await this.chain.fleets.create({ id: idBytes(id), address, guardian, limits }, operator);
    this.failpoints.pass('fleet.created');
    const slot = (await this.setPolicy(planned, signed)) ?? created.slot;
    // Before it is open: its first versions do not count as changes.
    const read = await this.fleetReader.read({ ...planned, observedSlot: BigInt(slot) });
    await this.store.open(id, slot);
    return { ...read, state: 'open' };
  }

  /** Sets the policy that the creation asked for. Returns the slot of the change; null if there is none to be made. */
  private async setPolicy(fleet: Fleet, signed: Signed | null): Promise<number | null> {
    const { wantedPolicy, chainAddress, counterparties } = fleet;
    if (!wantedPolicy || (await this.policies.read(chainAddress)).version > FIRST_VERSION) return null;
    const { allowed_counterparties: given } = wantedPolicy;
    const change = toPolicyChange(wantedPolicy, given ? counterparties.map(({ address }) => address) : given);
    const operator = (version: bigint | null) =>
      this.fleets.signerOf(fleet, version !== null && signed?.policyVersion === version ? signed : null);
    const { slot } = await this.policies.update(chainAddress, { change, ifVersion: FIRST_VERSION, operator });
    return slot;
  }

  private async draft(
    operatorId: string,
    { name, metadata = {}, policy, limits }: CreateFleetDto,
    counterparties: Fleet['counterparties'],
    creationKey: string | undefined,
  ): Promise<Fleet> {
    const now = this.clock.now();
    const id = creationKey === undefined ? newId('flt', now) : await this.lost.newId('flt', operatorId, creationKey);
    const { address: chainAddress, creator } = this.chain.fleets.plan(idBytes(id));
    const named = Object.keys(policy ?? {}).length > 0;
    return {
      id,
      operatorId,
      name,
      metadata,
      state: 'creating',
      creator,
      chainAddress,
      guardian: this.chain.fleets.guardian,
      limits: {
        max_daily_spend: limits?.max_daily_spend ?? null,
        max_monthly_spend: limits?.max_monthly_spend ?? null,
        max_lifetime_spend: limits?.max_lifetime_spend ?? null,
      },
      limitsVersion: 0n,
      policy: DEFAULT_POLICY,
      policyVersion: 0n,
      policyUpdatedAt: now,
      paused: false,
      wantedPolicy: named ? (policy ?? null) : null,
      counterparties,
      members: 0,
      membersChangedAt: now,
      observedSlot: 0n,
      mac: this.macs.of({ id, operatorId, creator, chainAddress }),
      creationKey: null,
      creationHash: null,
      creationKeyUntil: null,
      leaseUntil: this.lease.end(),
      createdAt: now,
    };
  }

  /** The row with the address at which this process can create it, which follows from the fee payer. One that exists elsewhere is kept. */
  private async plannedHere(fleet: Fleet): Promise<Fleet> {
    const { address: chainAddress, creator } = this.chain.fleets.plan(idBytes(fleet.id));
    if (fleet.creator === creator || (await this.chain.fleets.find(fleet.chainAddress))) return fleet;
    const guardian = this.chain.fleets.guardian;
    const mac = this.macs.of({ ...fleet, chainAddress, creator });
    await this.database.manager.update(Fleet, { id: fleet.id, state: 'creating' }, { chainAddress, creator, guardian, mac });
    return { ...fleet, chainAddress, creator, guardian, mac };
  }

  /** Finishes creations whose process died or whose outcome was unknown. */
  private async finishOverdue(): Promise<void> {
    const rows = await this.lease.claim({ where: sql`state = 'creating'`, limit: RECOVERY_BATCH });
    for (const row of rows) {
      try {
        await this.finish(String(row.operator_id), String(row.id), null);
      } catch (error) {
        // Only the operator can continue.
        if (!asksForSignature(error)) this.logger.warn(`The creation of ${String(row.id)} is not finished: ${messageOf(error)}`);
      }
    }
  }
}
