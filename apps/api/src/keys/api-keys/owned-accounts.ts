import type { DataSource, EntityManager } from 'typeorm';
import { runPrepared } from '#database';
import { InvalidRequest } from '../../http/domain.errors';

/** As `requireOwnedAccounts`, of the `fleet_ids` of a request. @throws InvalidRequest with every fleet that does not belong to the operator. */
export async function requireOwnedFleets(manager: EntityManager, operatorId: string, fleetIds: string[]): Promise<void> {
  if (fleetIds.length === 0) return;
  const rows: { id: string }[] = await manager.query(`SELECT id FROM fleets WHERE operator_id = $1 AND id = ANY($2) AND state = 'open'`, [
    operatorId,
    fleetIds,
  ]);
  const owned = new Set(rows.map((row) => row.id));
  const offenders = fleetIds.flatMap((id, index) =>
    owned.has(id) ? [] : [{ field: `fleet_ids[${index}]`, message: 'is not a fleet of this operator' }],
  );
  if (offenders.length > 0) throw new InvalidRequest(offenders);
}

/** The accounts that are in these fleets now. */
export async function membersOf(database: DataSource, operatorId: string, fleetIds: readonly string[]): Promise<string[]> {
  if (fleetIds.length === 0) return [];
  const rows = await runPrepared(database, 'SELECT id FROM accounts WHERE operator_id = $1 AND fleet_id = ANY($2) ORDER BY id', [
    operatorId,
    [...fleetIds],
  ]);
  return rows.map(({ id }) => String(id));
}

/**
 * Checks the `account_ids` of a request. A foreign key enforces the same. It reads the table of accounts itself, because accounts stands
 * right of keys. @throws InvalidRequest with every account that does not belong to the operator.
 */
export async function requireOwnedAccounts(manager: EntityManager, operatorId: string, accountIds: string[]): Promise<void> {
  if (accountIds.length === 0) return;
  const rows: { id: string }[] = await manager.query('SELECT id FROM accounts WHERE operator_id = $1 AND id = ANY($2)', [
    operatorId,
    accountIds,
  ]);
  const owned = new Set(rows.map((row) => row.id));
  const offenders = accountIds.flatMap((id, index) =>
    owned.has(id) ? [] : [{ field: `account_ids[${index}]`, message: 'is not an account of this operator' }],
  );
  if (offenders.length > 0) throw new InvalidRequest(offenders);
}
