import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { formatUsdc } from '../money/usdc';
import { OutboxService } from '../events';

/** What one transaction did to an account's balance, in micro-USDC. */
export interface BalanceStep {
  before: bigint;
  after: bigint;
  /** When it is known to have happened, at the latest. */
  at: Date;
}

export interface WatchedAccount {
  id: string;
  operatorId: string;
  tokenAccount: string;
}

/** The webhooks that want to know when this account falls below their threshold, paused ones too: they are told later. */
const WATCHERS = `
  SELECT id, low_balance_threshold, threshold_since FROM webhooks
  WHERE operator_id = $1 AND status <> 'deleted' AND low_balance_threshold IS NOT NULL AND (events = '{}' OR 'balance.low_threshold' = ANY (events))
    AND (all_accounts OR EXISTS (SELECT 1 FROM webhook_accounts WHERE webhook_id = webhooks.id AND account_id = $2))
  ORDER BY id`;

/** Tells each webhook once of each time that a balance falls below its threshold. */
@Injectable()
export class LowBalancesService {
  constructor(private readonly outbox: OutboxService) {}

  /**
   * Takes an account's transactions in the order of the chain, each once: in the transaction that remembers how far they were
   * read. So it is exact also when the balance dips and recovers unseen, and a balance that is below a threshold already
   * must first reach it. What happened before a threshold was set does not count for it.
   */
  async note(manager: EntityManager, { id, operatorId, tokenAccount }: WatchedAccount, steps: BalanceStep[]): Promise<void> {
    const falls = steps.filter(({ before, after }) => after < before);
    if (falls.length === 0) return;
    const watchers: { id: string; low_balance_threshold: string; threshold_since: Date }[] = await manager.query(WATCHERS, [
      operatorId,
      id,
    ]);
    for (const { before, after, at } of falls) {
      for (const watcher of watchers) {
        const threshold = BigInt(watcher.low_balance_threshold);
        if (before < threshold || after >= threshold || at <= watcher.threshold_since) continue;
        const data = { account_id: id, balance_usdc: formatUsdc(after), usdc_token_account: tokenAccount };
        await this.outbox.record(manager, { operatorId, accountId: id, type: 'balance.low_threshold', data, webhookId: watcher.id });
      }
    }
  }
}
