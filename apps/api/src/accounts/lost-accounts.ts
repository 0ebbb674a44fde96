import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, sql, taggedId, tagIn } from '#database';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';
import { RequestTags } from '../secrets';
import type { Account } from './account.entity';

/** Stores the accounts that the chain has and a restored database lacks. False where no restore is recent. @throws ChainUnavailableError */
export type Adoption = () => Promise<boolean>;

/** The request that creates an account, as it is stored with it. */
export type KeyedAccount = Account & Required<{ creationKey: string; creationHash: Buffer; creationKeyUntil: Date }>;

/**
 * Accounts that a creation with an idempotency key made before the database was restored. The end of their id, which is on chain, is a keyed
 * hash of operator and key, so that the repeated creation answers with the account that is found on chain instead of creating another.
 */
@Injectable()
export class LostAccounts {
  private adopt: Adoption | undefined;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly tags: RequestTags,
  ) {}

  /** Called by the feature that reconciles database and chain, before the application starts. */
  register(adopt: Adoption): void {
    this.adopt = adopt;
  }

  /** The id of a new account that a request with this key creates. */
  async newId(operatorId: string, creationKey: string): Promise<string> {
    return taggedId('acct', await this.tags.digest(['account', operatorId, creationKey]), this.clock.now());
  }

  /**
   * Gives the account that was found on chain to the request that repeats its creation: its key, and what only the request knows. Does nothing
   * where no restore is recent, or none was found. One that has had a key within the time that keys are kept has it still, so that an account
   * without one was found. @throws ChainUnavailableError
   */
  async claim(wanted: KeyedAccount): Promise<void> {
    if (!(await this.adopt?.())) return;
    const { id, operatorId, name, nameKey, metadata, labels, creationKey, creationHash, creationKeyUntil } = wanted;
    const keptSince = new Date(this.clock.now().getTime() - this.config.IDEMPOTENCY_TTL_SECONDS * 1000);
    await execute(
      this.database,
      sql`UPDATE accounts SET name = ${name}, name_key = ${nameKey}, metadata = ${JSON.stringify(metadata)}, labels = ${labels},
            creation_key = ${creationKey}, creation_hash = ${creationHash}, creation_key_until = ${creationKeyUntil}
          WHERE creation_key IS NULL AND id = (SELECT id FROM accounts WHERE operator_id = ${operatorId} AND "right"(id, 12) = ${tagIn(id)}
              AND creation_key IS NULL AND state = 'open' AND created_at > ${keptSince} ORDER BY id DESC LIMIT 1)
            AND NOT EXISTS (SELECT 1 FROM accounts WHERE operator_id = ${operatorId} AND creation_key = ${creationKey})`,
    );
  }
}
