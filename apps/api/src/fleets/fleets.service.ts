import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Chain, type ChainFleet, type PolicyChange, SignatureRequiredError, type Signer } from '#chain';
import { hydrate, type Row, sql } from '#database';
import { AuditLog } from '../audit';
import type { Caller } from '../http/caller';
import { FeePayerEmpty, NotFound } from '../http/domain.errors';
import { OperatorsService } from '../keys';
import { mergedMetadata, tooManyKeys } from '../lists/references';
import { applyVersioned, type GivenCounterparty, PolicyService, toPolicyChange, type UpdateFleetPolicyDto } from '../policy';
import { Failpoints } from '../runtime/failpoints';
import { FeePayerBalance } from '../runtime/observability/fee-payer-balance';
import { SignatureRequired, type Signed } from '../signatures';
import { Fleet } from './fleet.entity';
import { FleetReader, requireLimitsVersion } from './fleet-reader';
import { type ChangeFleetDto, type FleetView, limitsFields, toLimitsChange, type UpdateLimitsDto } from './fleets.dto';
import { FleetInUse, LimitsBusy } from './fleets.errors';
import { FleetsStore } from './fleets.store';

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

/** Changes fleets: their rows, and their state on chain, which is the truth. */
@Injectable()
export class FleetsService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly chain: Chain,
    private readonly reader: FleetReader,
    private readonly store: FleetsStore,
    private readonly policies: PolicyService,
    private readonly operators: OperatorsService,
    private readonly audit: AuditLog,
    private readonly feePayer: FeePayerBalance,
    private readonly failpoints: Failpoints,
  ) {}

  /** The signer that adds accounts to a fleet: of the guardian if that is a key of the service, else of the operator. */
  adderOf(fleet: Fleet): Promise<Signer> {
    return this.signerOf(fleet, null, true);
  }

  /** Changes the named fields, which are in the database only. */
  async change(caller: Caller, id: string, { name, metadata }: ChangeFleetDto): Promise<FleetView> {
    const fleet = await this.reader.find(caller.operatorId, id);
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
    return this.reader.view(changed);
  }

  /**
   * Changes the named fields of a fleet's policy. Pausing alone needs no operator if the service's key is the guardian.
   * @throws PolicyVersionOutdated, PolicyBusy, InvalidRequest, SignatureRequired; FeePayerEmpty for anything but a pause
   */
  async setPolicy(caller: Caller, id: string, { wanted, counterparties }: NamedChange, { ifVersion, signed }: Changing): Promise<Fleet> {
    if (wanted.paused !== true && (await this.feePayer.isBelowReserve())) throw new FeePayerEmpty();
    const { allowed_counterparties: given } = wanted;
    const fleet = await this.reader.find(caller.operatorId, id);
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
    return this.reader.afterChange({ ...fleet, ...(given !== undefined && { counterparties }) }, slot);
  }

  /** Changes the named limits. @throws LimitsVersionOutdated, LimitsBusy, SignatureRequired, FeePayerEmpty */
  async setLimits(caller: Caller, id: string, wanted: UpdateLimitsDto, { ifVersion, signed }: Changing): Promise<Fleet> {
    if (await this.feePayer.isBelowReserve()) throw new FeePayerEmpty();
    const fleet = await this.reader.find(caller.operatorId, id);
    const change = toLimitsChange(wanted);
    let isRecorded = false;
    const { slot } = await applyVersioned<ChainFleet>({
      read: async () => {
        const onChain = await this.reader.onChain(fleet);
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
    return slot === null ? this.reader.read(fleet) : this.reader.afterChange(fleet, slot);
  }

  /** Closes a fleet for ever. @throws FleetInUse with members; SignatureRequired */
  async close(caller: Caller, id: string, signed: Signed | null): Promise<Fleet> {
    const fleet = await this.reader.findEver(caller.operatorId, id);
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
    return this.reader.findEver(caller.operatorId, id);
  }

  /** The signer of the fleet's operator on chain; `isByGuardian`: of its guardian, if that is a key of the service. */
  async signerOf(fleet: Fleet, signed: Signed | null, isByGuardian = false): Promise<Signer> {
    const onChain = await this.reader.onChain(fleet);
    const guardian = isByGuardian ? this.chain.fleets.guardianOf(onChain) : undefined;
    const signer = guardian ?? (await this.operators.signer(fleet.operatorId, onChain.operator, signed?.held));
    if (!signer) throw new NotFound('There is no such fleet.');
    return signer;
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

function labelOf({ name, metadata }: Fleet): Record<string, unknown> {
  return { name, metadata };
}

/** Whether an error asks for the operator's signature. */
export const asksForSignature = (error: unknown): boolean => error instanceof SignatureRequiredError || error instanceof SignatureRequired;
