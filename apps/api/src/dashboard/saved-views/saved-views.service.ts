import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { execute, sql } from '#database';
import { Conflict } from '../../http/domain.errors';
import { lockOperator } from '../../keys';
import { Clock } from '../../runtime/clock';
import type { SavedView } from '../views';
import type { SavedViewDto, SavedViewNameDto } from './saved-views.dto';

/** The most views of one list of an operator. */
const MAX_VIEWS = 30;

/** The saved views of the dashboard's lists. They belong to the operator: all its keys see and change the same ones. */
@Injectable()
export class SavedViewsService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /** The views of a list, the newest first. */
  async list(operatorId: string, list: string): Promise<SavedView[]> {
    const rows = await execute(
      this.database,
      sql`SELECT name, search FROM saved_views WHERE operator_id = ${operatorId} AND list = ${list} ORDER BY saved_at DESC, name`,
    );
    return rows.map(({ name, search }) => ({ name: String(name), search: String(search) }));
  }

  /** Saves a view. One of the same name is replaced. @throws Conflict at the limit. */
  async save(operatorId: string, { list, name, search }: SavedViewDto): Promise<void> {
    await this.database.transaction(async (manager) => {
      await lockOperator(manager, operatorId);
      const [{ count } = { count: 0 }]: { count: number }[] = await manager.query(
        'SELECT count(*)::int AS count FROM saved_views WHERE operator_id = $1 AND list = $2 AND name <> $3',
        [operatorId, list, name],
      );
      if (count >= MAX_VIEWS) throw new Conflict(`A list has at most ${MAX_VIEWS} saved views: forget one first.`, 'full');
      await manager.query(
        `INSERT INTO saved_views (operator_id, list, name, search, saved_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (operator_id, list, name) DO UPDATE SET search = excluded.search, saved_at = excluded.saved_at`,
        [operatorId, list, name, search, this.clock.now()],
      );
    });
  }

  /** Removes a view, if there is one of this name. */
  async remove(operatorId: string, { list, name }: SavedViewNameDto): Promise<void> {
    await execute(this.database, sql`DELETE FROM saved_views WHERE operator_id = ${operatorId} AND list = ${list} AND name = ${name}`);
  }
}
