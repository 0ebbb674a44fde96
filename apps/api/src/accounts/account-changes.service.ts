import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, hydrate, sql } from '#database';
import { MAX_METADATA_KEYS } from '../http/checks';
import { InvalidRequest } from '../http/domain.errors';
import { Account } from './account.entity';
import type { AccountView, ChangeAccountDto } from './accounts.dto';
import { AccountsService } from './accounts.service';

/** Changes of an account's label and metadata. They are in the database only. */
@Injectable()
export class AccountChangesService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly accounts: AccountsService,
  ) {}

  /**
   * Changes the named fields. Metadata is merged in the statement, so that concurrent changes of other keys are preserved.
   * @throws NotFound; InvalidRequest where the merged metadata has too many keys.
   */
  async change(operatorId: string, id: string, { name, metadata }: ChangeAccountDto): Promise<AccountView> {
    const account = await this.accounts.find(operatorId, id);
    const entries = Object.entries(metadata ?? {});
    const set = JSON.stringify(Object.fromEntries(entries.filter(([, value]) => value !== null)));
    const removed = entries.filter(([, value]) => value === null).map(([key]) => key);
    const before = metadata === null ? sql`'{}'::jsonb` : sql`metadata`;
    const merged = sql`((${before} || ${set}::jsonb) - ${removed}::text[])`;
    const [row] = await execute(
      this.database,
      sql`UPDATE accounts SET name = COALESCE(${name ?? null}, name), name_key = COALESCE(${name?.toLowerCase() ?? null}, name_key), metadata = ${merged}
          WHERE id = ${account.id} AND (SELECT count(*) FROM jsonb_object_keys(${merged})) <= ${MAX_METADATA_KEYS} RETURNING *`,
    );
    if (!row) throw InvalidRequest.field('metadata', `must have at most ${MAX_METADATA_KEYS} keys, with those that it has already`);
    return this.accounts.listedView(hydrate(this.database, Account, row));
  }
}
