import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Chain, type ChainFleet } from '#chain';
import { idOf } from '#database';
import { OperatorsService } from '../keys';
import { asGiven, policyFields } from '../policy';
import { Clock } from '../runtime/clock';
import { Fleet } from './fleet.entity';
import { FleetMacs } from './fleet-macs';
import { limitsFields } from './fleets.dto';

/** The name of a fleet whose own name was only in the database that is lost. */
const NAME = 'Found on chain';

/** Fleets that were created after the backup that the database was restored from: found on chain by their operator's key. */
@Injectable()
export class FoundFleets {
  private readonly logger = new Logger('Fleets');

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly operators: OperatorsService,
    private readonly macs: FleetMacs,
  ) {}

  /**
   * Stores the fleets of every operator that have no row, with the policy and limits that they have on chain. Fleets that others created are
   * left out. Returns their ids. @throws ChainUnavailableError
   */
  async store(): Promise<string[]> {
    const rows: { creator: string; chain_address: string }[] = await this.database.query('SELECT creator, chain_address FROM fleets');
    const creators = [...new Set([this.chain.fleets.guardian, ...rows.map(({ creator }) => creator)])];
    const known = new Set(rows.map((row) => row.chain_address));
    const ids: string[] = [];
    for (const { id: operatorId, chainKey } of await this.operators.chainKeys())
      for (const fleet of await this.chain.fleets.ofOperator(chainKey, creators))
        if (!known.has(fleet.address)) ids.push(...(await this.insert(operatorId, fleet)));
    for (const id of ids) this.logger.warn(`${id} was created after the backup of this database was made, and is stored now`);
    return ids;
  }

  private async insert(operatorId: string, onChain: ChainFleet): Promise<string[]> {
    const { address: chainAddress, creator, guardian, limitsVersion, members } = onChain;
    const [policy] = await this.chain.policies.findMany([chainAddress]);
    if (!policy) return []; // closed since
    const now = this.clock.now();
    const id = idOf('flt', onChain.id);
    const fields = policyFields(policy, asGiven([]));
    const fleet: Fleet = {
      id,
      operatorId,
      name: NAME,
      metadata: {},
      state: 'open',
      creator,
      chainAddress,
      guardian,
      limits: limitsFields(onChain.limits),
      limitsVersion,
      policy: fields,
      policyVersion: policy.version,
      policyUpdatedAt: policy.updatedAt,
      paused: policy.paused,
      wantedPolicy: null,
      counterparties: [],
      members,
      membersChangedAt: await this.chain.clock.now(),
      observedSlot: 0n,
      mac: this.macs.of({ id, operatorId, creator, chainAddress }),
      creationKey: null,
      creationHash: null,
      creationKeyUntil: null,
      leaseUntil: now,
      createdAt: now,
    };
    const builder = this.database.manager.createQueryBuilder().insert().into(Fleet).values(fleet).orIgnore().returning('id');
    return ((await builder.execute()).raw as unknown[]).length === 0 ? [] : [id]; // another process stored it
  }
}
