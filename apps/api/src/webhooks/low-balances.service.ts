import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { formatUsdc } from '../money/usdc';
import { OutboxService } from '../events';

/** The change of an account's balance by one transaction, in micro-USDC. */
export interface BalanceStep {
  before: bigint;
  after: bigint;
  /** When it happened, at the latest. */
  at: Date;
}

/** An account whose balance is followed. */
export interface WatchedAccount {
  id: string;
  operatorId: string;
  tokenAccount: string;
  /** The fleet that it is in; null outside of a fleet. */
  fleetId: string | null;
}

/** The webhooks with a threshold for this account. Paused ones get their deliveries later. */
const SUBSCRIBED = `
  SELECT id, low_balance_threshold, threshold_since FROM webhooks
  WHERE operator_id = $1 AND status <> 'deleted' AND low_balance_threshold IS NOT NULL
    AND (events = '{}' OR 'balance.low_threshold' = ANY (events))
    AND (all_accounts OR EXISTS (SELECT 1 FROM webhook_accounts WHERE webhook_id = webhooks.id AND account_id = $2)
      OR EXISTS (SELECT 1 FROM webhook_fleets WHERE webhook_id = webhooks.id AND fleet_id = $3))
  ORDER BY id`;

/** Records `balance.low_threshold` for each webhook, once each time that a balance falls below its threshold. */
@Injectable()
export class LowBalancesService {
  constructor(private readonly outbox: OutboxService) {}

  /**
   * Records the events of an account's transactions, given in the order of the chain and each once. Call it in the database transaction
   * that stores how far they were read. A balance that falls and recovers between two reads is noticed, and one that is below a threshold
   * already must reach it first. Transactions before a threshold was set do not count for it.
   */
  async note(manager: EntityManager, { id, operatorId, tokenAccount, fleetId }: WatchedAccount, steps: BalanceStep[]): Promise<void> {
    const falls = steps.filter(({ before, after }) => after < before);
    if (falls.length === 0) return;
    const webhooks: { id: string; low_balance_threshold: string; threshold_since: Date }[] = await manager.query(SUBSCRIBED, [
      operatorId,
      id,
      fleetId,
    ]);
    for (const { before, after, at } of falls) {
      for (const webhook of webhooks) {
        const threshold = BigInt(webhook.low_balance_threshold);
        if (before < threshold || after >= threshold || at <= webhook.threshold_since) continue;
        const data = { account_id: id, balance_usdc: formatUsdc(after), usdc_token_account: tokenAccount };
        await this.outbox.record(manager, { operatorId, accountId: id, type: 'balance.low_threshold', data, webhookId: webhook.id });
      }
    }
  }
}
