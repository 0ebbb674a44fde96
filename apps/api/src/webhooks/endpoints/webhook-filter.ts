/** The accounts and fleets whose events a webhook gets. Without any it gets the events of all accounts. */
import type { EntityManager } from 'typeorm';
import { requireOwnedAccounts, requireOwnedFleets } from '../../keys';
import { Webhook } from './webhook.entity';
import { WebhookAccount } from './webhook-account.entity';
import { WebhookFleet } from './webhook-fleet.entity';

/** The ids in the order of the request. */
interface WebhookFilter {
  accountIds: string[];
  fleetIds: string[];
}

type Owned = Pick<Webhook, 'id' | 'operatorId'>;

/** Whether a filter lets the events of all accounts pass. */
export const isOfAll = ({ accountIds, fleetIds }: WebhookFilter): boolean => accountIds.length === 0 && fleetIds.length === 0;

/** @throws InvalidRequest for an account or a fleet of another operator */
export async function requireOwned(manager: EntityManager, operatorId: string, { accountIds, fleetIds }: WebhookFilter): Promise<void> {
  await requireOwnedAccounts(manager, operatorId, accountIds);
  await requireOwnedFleets(manager, operatorId, fleetIds);
}

/** The rows of a filter. */
export function filterRows(
  { id: webhookId, operatorId }: Owned,
  { accountIds, fleetIds }: WebhookFilter,
): Pick<Webhook, 'accounts' | 'fleets'> {
  return {
    accounts: accountIds.map((accountId, position) => Object.assign(new WebhookAccount(), { webhookId, operatorId, accountId, position })),
    fleets: fleetIds.map((fleetId, position) => Object.assign(new WebhookFleet(), { webhookId, operatorId, fleetId, position })),
  };
}

export async function insertFilter(manager: EntityManager, { accounts, fleets }: Pick<Webhook, 'accounts' | 'fleets'>): Promise<void> {
  await manager.insert(WebhookAccount, accounts);
  await manager.insert(WebhookFleet, fleets);
}

export async function removeFilter(manager: EntityManager, webhookId: string): Promise<void> {
  await manager.delete(WebhookAccount, { webhookId });
  await manager.delete(WebhookFleet, { webhookId });
}

/** Replaces the filter of a webhook. @throws InvalidRequest for an account or a fleet of another operator */
export async function replaceFilter(manager: EntityManager, webhook: Owned, filter: WebhookFilter): Promise<void> {
  const { id, operatorId } = webhook;
  await requireOwned(manager, operatorId, filter);
  await manager.update(Webhook, { id }, { allAccounts: isOfAll(filter) });
  await removeFilter(manager, id);
  await insertFilter(manager, filterRows(webhook, filter));
}
