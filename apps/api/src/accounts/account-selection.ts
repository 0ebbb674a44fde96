import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import { type Sql, sql } from '#database';
import { Account } from './account.entity';
import { MAX_LABELS } from './accounts.dto';

/** The ids of an operator's accounts that were paused or resumed by single requests after a decision. */
export const pauseDecidedSince = (operatorId: Sql, decision: Sql): Sql =>
  sql`SELECT id FROM accounts WHERE operator_id = ${operatorId} AND pause_decision > ${decision}`;

/** The accounts that a change of many is about, in every state. */
@Injectable()
export class AccountSelection {
  constructor(@InjectDataSource() private readonly database: DataSource) {}

  /** The ids of an operator's accounts that are not closed, those in creation included, in the order of their ids. */
  async all(operatorId: string, manager: EntityManager = this.database.manager): Promise<string[]> {
    const rows: { id: string }[] = await manager.query(`SELECT id FROM accounts WHERE operator_id = $1 AND state <> 'closed' ORDER BY id`, [
      operatorId,
    ]);
    return rows.map(({ id }) => id);
  }

  /** As `all`, of accounts with a label. */
  async labelled(operatorId: string, label: string, manager: EntityManager = this.database.manager): Promise<string[]> {
    const rows: { id: string }[] = await manager.query(
      `SELECT id FROM accounts WHERE operator_id = $1 AND labels @> ARRAY[$2] AND state <> 'closed' ORDER BY id`,
      [operatorId, label],
    );
    return rows.map(({ id }) => id);
  }

  /** As `all`, of accounts that are in a fleet now. */
  async openIn(operatorId: string, fleetId: string, manager: EntityManager = this.database.manager): Promise<string[]> {
    const rows: { id: string }[] = await manager.query(
      `SELECT id FROM accounts WHERE operator_id = $1 AND fleet_id = $2 AND state <> 'closed' ORDER BY id`,
      [operatorId, fleetId],
    );
    return rows.map(({ id }) => id);
  }

  /** The accounts that have all of these labels, closed ones included: among those given, or null for all of an operator's. */
  async withLabels(operatorId: string, labels: string[], ids: readonly string[] | null): Promise<string[]> {
    const rows: { id: string }[] = await this.database.query(
      `SELECT id FROM accounts WHERE operator_id = $1 AND labels @> $2 AND ($3::text[] IS NULL OR id = ANY ($3)) ORDER BY id`,
      [operatorId, labels, ids],
    );
    return rows.map(({ id }) => id);
  }

  /** The accounts that are in a fleet, closed ones included: among those given, or null for all of an operator's. */
  async inFleet(operatorId: string, fleetId: string, ids: readonly string[] | null): Promise<string[]> {
    const rows: { id: string }[] = await this.database.query(
      `SELECT id FROM accounts WHERE operator_id = $1 AND fleet_id = $2 AND ($3::text[] IS NULL OR id = ANY ($3)) ORDER BY id`,
      [operatorId, fleetId, ids],
    );
    return rows.map(({ id }) => id);
  }

  /** The fleets of an operator's accounts: of those given, or of all. An account outside of a fleet is missing. */
  async fleetsOf(operatorId: string, ids: readonly string[] | null): Promise<ReadonlyMap<string, string[]>> {
    const rows: { id: string; fleet_id: string }[] = await this.database.query(
      `SELECT id, fleet_id FROM accounts WHERE operator_id = $1 AND fleet_id IS NOT NULL AND ($2::text[] IS NULL OR id = ANY ($2))`,
      [operatorId, ids],
    );
    return new Map(rows.map(({ id, fleet_id: fleetId }) => [id, [fleetId]]));
  }

  /** The labels of an operator's accounts: of those given, or of all. An account without labels is missing. */
  async labelsOf(operatorId: string, ids: readonly string[] | null): Promise<ReadonlyMap<string, string[]>> {
    const rows: { id: string; labels: string[] }[] = await this.database.query(
      `SELECT id, labels FROM accounts WHERE operator_id = $1 AND labels <> '{}' AND ($2::text[] IS NULL OR id = ANY ($2))`,
      [operatorId, ids],
    );
    return new Map(rows.map(({ id, labels }) => [id, labels]));
  }

  /** The names and handles of an operator's accounts, by the ids or handles given. What names no account is missing. */
  async namesOf(operatorId: string, given: readonly string[]): Promise<ReadonlyMap<string, { name: string; handle: string }>> {
    const rows: { id: string; name: string; handle: string }[] = await this.database.query(
      `SELECT id, name, handle FROM accounts WHERE operator_id = $1 AND (id = ANY ($2) OR handle = ANY ($2))`,
      [operatorId, given],
    );
    return new Map(rows.flatMap(({ id, ...names }) => [id, names.handle].map((key) => [key, names] as const)));
  }

  /** Adds labels to accounts, or removes them. Returns the ids of those that have them, or not any more: not of those with too many. */
  async relabel(operatorId: string, ids: string[], change: { add: string[] } | { remove: string[] }): Promise<ReadonlySet<string>> {
    const [added, removed] = 'add' in change ? [change.add, []] : [[], change.remove];
    const [rows]: [{ id: string }[], number] = await this.database.query(
      `UPDATE accounts SET labels = changed.labels FROM (
         SELECT id, ARRAY(SELECT DISTINCT label FROM unnest(labels || $3::text[]) label WHERE label <> ALL ($4::text[]) ORDER BY label) AS labels
         FROM accounts WHERE operator_id = $1 AND id = ANY ($2) AND state <> 'closed' FOR NO KEY UPDATE) changed
       WHERE accounts.id = changed.id AND cardinality(changed.labels) <= $5 RETURNING accounts.id`,
      [operatorId, ids, added, removed, MAX_LABELS],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** The operator's accounts among these ids, closed ones included. */
  async known(operatorId: string, ids: string[], manager: EntityManager = this.database.manager): Promise<ReadonlySet<string>> {
    const rows: { id: string }[] = await manager.query('SELECT id FROM accounts WHERE operator_id = $1 AND id = ANY($2)', [
      operatorId,
      ids,
    ]);
    return new Set(rows.map(({ id }) => id));
  }

  /** An operator's accounts among the ids, in creation and closed ones included. */
  async load(operatorId: string, ids: string[]): Promise<Account[]> {
    return ids.length === 0 ? [] : this.database.manager.findBy(Account, { operatorId, id: In(ids) });
  }
}
