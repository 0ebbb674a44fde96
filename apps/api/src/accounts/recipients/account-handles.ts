import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, sql } from '#database';
import { AccountHandles } from '../../http/handles';

/** Finds accounts by their handles. */
@Injectable()
export class StoredAccountHandles extends AccountHandles {
  constructor(@InjectDataSource() private readonly database: DataSource) {
    super();
  }

  async idsOf(operatorId: string, handles: string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await execute(
      this.database,
      sql`SELECT handle, id FROM accounts WHERE operator_id = ${operatorId} AND handle = ANY(${handles})`,
    );
    return new Map(rows.map(({ handle, id }) => [String(handle), String(id)]));
  }
}
