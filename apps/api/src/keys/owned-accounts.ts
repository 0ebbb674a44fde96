import type { EntityManager } from 'typeorm';
import { InvalidRequest } from '../http/domain.errors';

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
