import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { SharedStatements } from '#database';
import type { EventToRecord } from '../events';
import { formatUsdc } from '../money/usdc';

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

/** Finds the events `balance.low_threshold` of each webhook: one each time that a balance falls below its threshold. */
@Injectable()
export class LowBalancesService {
  private readonly subscriptions: SharedStatements;

  constructor(@InjectDataSource() database: DataSource) {
    this.subscriptions = new SharedStatements(database);
  }

  /**
   * The events of an account's transactions, given in the order of the chain and each once. Record them in the database transaction that
   * stores how far they were read. A balance that falls and recovers between two reads is noticed, and one that is below a threshold
   * already must reach it first. Transactions before a threshold was set do not count for it.
   */
  async eventsOf({ id, operatorId, tokenAccount, fleetId }: WatchedAccount, steps: BalanceStep[]): Promise<EventToRecord[]> {
    const falls = steps.filter(({ before, after }) => after < before);
    if (falls.length === 0) return [];
    const webhooks = await this.subscriptions.execute({ text: SUBSCRIBED, values: [operatorId, id, fleetId] });
    return falls.flatMap(({ before, after, at }) => {
      const data = { account_id: id, balance_usdc: formatUsdc(after), usdc_token_account: tokenAccount };
      return webhooks.flatMap(({ id: webhookId, low_balance_threshold: threshold, threshold_since: since }) => {
        const least = BigInt(String(threshold));
        const isFallen = before >= least && after < least && at > (since as Date);
        return isFallen ? [{ operatorId, accountId: id, type: 'balance.low_threshold' as const, data, webhookId: String(webhookId) }] : [];
      });
    });
  }
}
