import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Chain, type ChainAccount } from '#chain';
import { idOf } from '#database';
import { FleetsStore } from '../../fleets';
import { OperatorsService } from '../../keys';
import { Clock } from '../../runtime/clock';
import { AccountDrafts } from './account-drafts';
import { Account } from '../account.entity';
import { Memberships } from '../members/memberships';
import { StoredPolicies } from '../policies/stored-policies';

/** The name of an account whose own name was only in the database that is lost. */
const NAME = 'Found on chain';

/** Accounts that were created after the backup that the database was restored from: found on chain by their operator's key. */
@Injectable()
export class FoundAccounts {
  private readonly logger = new Logger('Accounts');

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly operators: OperatorsService,
    private readonly policies: StoredPolicies,
    private readonly drafts: AccountDrafts,
    private readonly fleets: FleetsStore,
    private readonly memberships: Memberships,
  ) {}

  /**
   * Stores the accounts of every operator that have no row, with the key of an authority that is not set on chain yet. Accounts that others
   * created for an operator are left out. Returns their ids. @throws ChainUnavailableError
   */
  async store(): Promise<string[]> {
    const creators = await this.creators();
    const ids: string[] = [];
    for (const { id: operatorId, chainKey } of await this.operators.chainKeys()) {
      const controllers = [chainKey, ...(await this.fleets.addressesOf(operatorId))];
      const found = (await Promise.all(controllers.map((each) => this.chain.accounts.ofOperator(each, creators)))).flat();
      for (const account of await this.unknown(found)) ids.push(...(await this.insert(operatorId, account)));
    }
    for (const id of ids) this.logger.warn(`${id} was created after the backup of this database was made, and is stored now`);
    return ids;
  }

  private async insert(operatorId: string, onChain: ChainAccount & { id: Uint8Array }): Promise<string[]> {
    const account = this.drafts.draft({
      id: idOf('acct', onChain.id),
      operatorId,
      name: NAME,
      metadata: {},
      labels: [],
      state: 'open',
      creator: onChain.creator,
      chainAddress: onChain.address,
      usdcTokenAccount: onChain.tokenAccount,
      nextSeq: onChain.highestSeq + 1n,
      leaseUntil: this.clock.now(),
    });
    const builder = this.database.manager.createQueryBuilder().insert().into(Account).values(account).orIgnore().returning('id');
    if (((await builder.execute()).raw as unknown[]).length === 0) return []; // another process stored it
    const stored = await this.memberships.sync(account, onChain);
    const [policy] = await this.chain.policies.findMany([onChain.address]);
    if (policy) await this.policies.store(stored, policy);
    return [account.id];
  }

  /** The fee payers that created accounts of this service. */
  private async creators(): Promise<string[]> {
    const rows: { creator: string }[] = await this.database.query('SELECT DISTINCT creator FROM accounts');
    return [...new Set([this.chain.accounts.creator, ...rows.map(({ creator }) => creator)])];
  }

  private async unknown<Found extends ChainAccount>(found: Found[]): Promise<Found[]> {
    const addresses = found.map(({ address }) => address);
    const rows: { chain_address: string }[] = await this.database.query(
      'SELECT chain_address FROM accounts WHERE chain_address = ANY($1)',
      [addresses],
    );
    const known = new Set(rows.map((row) => row.chain_address));
    return found.filter(({ address }) => !known.has(address));
  }
}
