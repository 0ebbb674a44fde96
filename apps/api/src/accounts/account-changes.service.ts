import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { hydrate, type Row, sql } from '#database';
import { AuditLog } from '../audit';
import type { Caller } from '../http/caller';
import { mergedMetadata, tooManyKeys } from '../lists/references';
import { Account } from './account.entity';
import { type AccountView, type ChangeAccountDto, sortedLabels } from './accounts.dto';
import { AccountViews } from './state/account-views';
import { AccountsService } from './accounts.service';

/** Changes of an account's label and metadata. They are in the database only. */
@Injectable()
export class AccountChangesService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly accounts: AccountsService,
    private readonly views: AccountViews,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Changes the named fields. Metadata is merged in the statement, so that concurrent changes of other keys are preserved.
   * @throws NotFound; InvalidRequest if the merged metadata has too many keys.
   */
  async change(caller: Caller, id: string, { name, metadata, labels }: ChangeAccountDto): Promise<AccountView> {
    const account = await this.accounts.find(caller.operatorId, id);
    const { merged, fits } = mergedMetadata(metadata);
    const update = sql`UPDATE accounts SET name = COALESCE(${name ?? null}, name),
        name_key = COALESCE(${name?.toLowerCase() ?? null}, name_key), metadata = ${merged},
        labels = COALESCE(${labels === undefined ? null : sortedLabels(labels)}::text[], labels)
          WHERE id = ${account.id} AND ${fits} RETURNING *`;
    const changed = await this.database.transaction(async (manager) => {
      const before = await manager.findOneOrFail(Account, { where: { id: account.id }, lock: { mode: 'for_no_key_update' } });
      const [[row]] = (await manager.query(update.text, update.values)) as [Row[], number];
      if (!row) throw tooManyKeys();
      const after = hydrate(this.database, Account, row);
      const audited = { before: labelOf(before), after: labelOf(after) };
      await this.audit.record(caller, { action: 'account.changed', object: account.id, ...audited }, manager);
      return after;
    });
    return this.views.listedView(changed);
  }
}

/** The facts that the audit log keeps of an account's label. */
function labelOf({ name, metadata, labels }: Account): Record<string, unknown> {
  return { name, metadata, labels };
}
