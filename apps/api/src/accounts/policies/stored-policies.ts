import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { ChainPolicy } from '#chain';
import { asGiven, policyFields, PolicyService } from '../../policy';
import { Clock } from '../../runtime/clock';
import type { Account } from '../account.entity';
import { CounterpartyNames } from './counterparty-names';

/** The policies of accounts: as the chain has them, and as they were last read from it, in the rows of the accounts. */
@Injectable()
export class StoredPolicies {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly policies: PolicyService,
    private readonly names: CounterpartyNames,
  ) {}

  /** The account's own policy on chain; of a member without one the empty one, version 0. @throws ChainUnavailableError */
  read({ chainAddress, fleetId }: Account): Promise<ChainPolicy> {
    return this.policies.read(chainAddress, { isOptional: fleetId !== null });
  }

  /** Reads the policy of an account from the chain and stores it. @throws ChainUnavailableError */
  async refresh(account: Account): Promise<Account> {
    return this.store(account, await this.read(account));
  }

  /** Stores a policy that was read from the chain, with the current time if its version is new. */
  async store(account: Account, policy: ChainPolicy): Promise<Account> {
    const fields = policyFields(policy, asGiven(await this.names.of(account.id)));
    if (policy.version <= account.policyVersion) return { ...account, policy: fields, policyVersion: policy.version };
    const now = this.clock.now();
    const [rows]: [{ policy_updated_at: Date }[], number] = await this.database.query(
      `UPDATE accounts SET policy = $2, paused = $3, policy_version = $4, has_own_policy = true,
              policy_updated_at = CASE WHEN policy_version < $4 THEN $5 ELSE policy_updated_at END
       WHERE id = $1 AND policy_version <= $4 RETURNING policy_updated_at`,
      [account.id, JSON.stringify(fields), policy.paused, policy.version.toString(), now],
    );
    return {
      ...account,
      policy: fields,
      paused: policy.paused,
      policyVersion: policy.version,
      policyUpdatedAt: rows[0]?.policy_updated_at ?? now,
    };
  }

  /**
   * Stores a policy that an operator has just set, also if its version is not above the stored one: the chain has gone back behind that, and
   * its policy counts again from now on.
   */
  async storeSet(account: Account, policy: ChainPolicy): Promise<Account> {
    if (policy.version <= account.policyVersion)
      await this.database.query('UPDATE accounts SET policy_version = $2::bigint - 1 WHERE id = $1 AND policy_version = $3', [
        account.id,
        policy.version.toString(),
        account.policyVersion.toString(),
      ]);
    return this.store({ ...account, policyVersion: policy.version - 1n }, policy);
  }
}
