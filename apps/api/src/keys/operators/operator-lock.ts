import type { EntityManager } from 'typeorm';

/** Locks an operator's row until the caller's transaction ends, so that changes that count the operator's objects follow each other. */
export async function lockOperator(manager: EntityManager, operatorId: string): Promise<void> {
  await manager.query('SELECT 1 FROM operators WHERE id = $1 FOR NO KEY UPDATE', [operatorId]);
}
