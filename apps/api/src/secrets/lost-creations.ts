import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, join, raw, sql, taggedId, tagIn } from '#database';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';
import { RequestTags } from './request-tags';

/** Stores what the chain has and a restored database lacks. False if no restore is recent. @throws ChainUnavailableError */
export type Adoption = () => Promise<boolean>;

/** Objects that are created with an idempotency key and have their id on chain: the prefix of the id, and the name in the hash. */
const CREATED = { acct: 'account', flt: 'fleet' } as const;

/** The request of a creation, as it is stored with what it creates. */
export interface KeyedCreation {
  id: string;
  operatorId: string;
  creationKey: string;
  creationHash: Buffer;
  creationKeyUntil: Date;
}

/**
 * Accounts and fleets that a creation with an idempotency key made before the database was restored. The end of their id, which is on chain, is
 * a keyed hash of operator and key, so that the repeated creation answers with what is found on chain instead of creating another.
 */
@Injectable()
export class LostCreations {
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

  /** The id of what a request with this key creates. */
  async newId(of: keyof typeof CREATED, operatorId: string, creationKey: string): Promise<string> {
    return taggedId(of, await this.tags.digest([CREATED[of], operatorId, creationKey]), this.clock.now());
  }

  /**
   * Gives the row of `tableName` found on chain to the request that repeats its creation: its key, and the columns that only the request knows. Does nothing
   * if no restore is recent, or none was found. What has had a key within the time that keys are kept has it still, so that what has none
   * was found. @throws ChainUnavailableError
   */
  async claim(tableName: string, { id, operatorId, ...keyed }: KeyedCreation, columns: Record<string, unknown>): Promise<void> {
    if (!(await this.adopt?.())) return;
    const table = raw(tableName);
    const keptSince = new Date(this.clock.now().getTime() - this.config.IDEMPOTENCY_TTL_SECONDS * 1000);
    const known = join(Object.entries(columns).map(([column, value]) => sql`${raw(column)} = ${value}`));
    await execute(
      this.database,
      sql`UPDATE ${table} SET ${known}, creation_key = ${keyed.creationKey}, creation_hash = ${keyed.creationHash},
            creation_key_until = ${keyed.creationKeyUntil}
          WHERE creation_key IS NULL AND id = (SELECT id FROM ${table} WHERE operator_id = ${operatorId} AND "right"(id, 12) = ${tagIn(id)}
              AND creation_key IS NULL AND state = 'open' AND created_at > ${keptSince} ORDER BY id DESC LIMIT 1)
            AND NOT EXISTS (SELECT 1 FROM ${table} WHERE operator_id = ${operatorId} AND creation_key = ${keyed.creationKey})`,
    );
  }
}
