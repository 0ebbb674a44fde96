/** The fleet of an account: as the chain shows it, stored with the events that report a change. */
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Chain, type ChainAccount } from '#chain';
import { hydrate, runPrepared, sql } from '#database';
import { type EventToRecord, OutboxService } from '../../events';
import { type Fleet, FleetsStore } from '../../fleets';
import { runTransition } from '../../persistence/transition';
import { DEFAULT_POLICY } from '../../policy';
import { Account } from '../account.entity';
import { AccountMacs } from '../recipients/account-macs';
import { ForgedMembership } from '../accounts.errors';

@Injectable()
export class Memberships {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly chain: Chain,
    private readonly fleets: FleetsStore,
    private readonly macs: AccountMacs,
    private readonly outbox: OutboxService,
  ) {}

  /**
   * A member with the observed slot of its fleet, if that is higher: what is read of it must come from a node that has reached both.
   * @throws ForgedMembership if the service did not store its fleet
   */
  async withFleetSlot(account: Account): Promise<Account> {
    if (account.fleetId === null) return account;
    if (!this.macs.isGenuine(account)) throw new ForgedMembership();
    const slot = await this.fleets.observedSlot(account.fleetId);
    return slot > account.observedSlot ? Object.assign(account, { observedSlot: slot }) : account;
  }

  /** The accounts that are in any of these fleets. */
  async memberIds(operatorId: string, fleetIds: readonly string[]): Promise<string[]> {
    if (fleetIds.length === 0) return [];
    const rows = await runPrepared(
      this.database,
      `SELECT id FROM accounts WHERE operator_id = $1 AND fleet_id = ANY($2) AND state <> 'creating' ORDER BY id`,
      [operatorId, [...fleetIds]],
    );
    return rows.map(({ id }) => String(id));
  }

  /** The chain addresses of a fleet's open accounts. */
  async addressesIn(fleetId: string): Promise<string[]> {
    const rows = await runPrepared(this.database, `SELECT chain_address FROM accounts WHERE fleet_id = $1 AND state = 'open' ORDER BY id`, [
      fleetId,
    ]);
    return rows.map(({ chain_address: address }) => String(address));
  }

  /** Stores the membership that the chain shows, and the event of a change. `slot`: where the change was seen. */
  async sync(account: Account, onChain: ChainAccount, slot = 0): Promise<Account> {
    const { fleet: address, hasOwnPolicy = true } = onChain;
    if ((address ?? null) === account.fleetAddress && hasOwnPolicy === account.hasOwnPolicy) return account;
    const { operatorId, id, fleetId: oldId } = account;
    const fleet = address === undefined ? undefined : await this.fleets.atAddress(operatorId, address);
    // A fleet that the service does not know is that of a restored database: the account can be read, and not be spent from.
    const joined = { fleetId: fleet?.id ?? null, fleetAddress: fleet ? fleet.chainAddress : null, hasOwnPolicy: hasOwnPolicy || !fleet };
    const mac = this.macs.of({ ...account, ...joined });
    const [first, second] = this.eventsOf(account, fleet).map((event) => this.outbox.row(event));
    const isPolicyNew = joined.hasOwnPolicy !== account.hasOwnPolicy;
    const reset = isPolicyNew ? sql`, policy_version = 0, paused = false, policy = ${JSON.stringify(DEFAULT_POLICY)}::jsonb` : sql``;
    const change = sql`UPDATE accounts SET fleet_id = ${joined.fleetId}, fleet_address = ${joined.fleetAddress},
        has_own_policy = ${joined.hasOwnPolicy}, mac = ${mac}, observed_slot = GREATEST(observed_slot, ${slot}) ${reset}
      WHERE id = ${id} AND fleet_id IS NOT DISTINCT FROM ${oldId} AND has_own_policy = ${account.hasOwnPolicy} RETURNING *`;
    await this.noteMembers([fleet?.id, oldId], slot);
    const row = await runTransition(this.database, change, {
      event: first,
      returning: second && sql`record_event(${JSON.stringify(second)}::jsonb)`,
    });
    const stored = row ? hydrate(this.database, Account, row) : await this.database.manager.findOneByOrFail(Account, { id });
    return this.withFleetSlot(stored);
  }

  /** A member that is closed leaves its fleet. */
  noteClosing({ fleetId }: Account): Promise<void> {
    return this.noteMembers([fleetId], 0);
  }

  private async noteMembers(fleetIds: (string | null | undefined)[], slot: number): Promise<void> {
    const changed = fleetIds.filter((id) => typeof id === 'string');
    if (changed.length === 0) return;
    const now = await this.chain.clock.now();
    for (const id of changed) await this.fleets.noteMembers(id, slot, now);
  }

  /** As `sync`, of an account that is read from the chain first. */
  async resync(account: Account, slot = Number(account.observedSlot)): Promise<Account> {
    const onChain = await this.chain.accounts.find(account.chainAddress, slot);
    return onChain ? this.sync(account, onChain, slot) : account;
  }

  private eventsOf({ operatorId, id, fleetId: oldId }: Account, fleet: Fleet | undefined): EventToRecord[] {
    const event = (type: 'fleet.member_joined' | 'fleet.member_left', fleetId: string): EventToRecord => {
      return { operatorId, accountId: null, fleetId, type, data: { fleet_id: fleetId, account_id: id } };
    };
    if ((fleet?.id ?? null) === oldId) return [];
    return [...(oldId === null ? [] : [event('fleet.member_left', oldId)]), ...(fleet ? [event('fleet.member_joined', fleet.id)] : [])];
  }
}
