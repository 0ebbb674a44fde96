import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock } from '../../runtime/clock';
import { LedgerSums } from '../../ledger';
import { formatUsdc } from '../../money/usdc';
import { WebhookHealth } from '../../webhooks';
import type { ApprovalView, KeyNameView, OverviewView, SpanView, WebhookHealthView } from '../views';

const SPANS_MS = { hour: 60 * 60_000, day: 24 * 60 * 60_000 };
/** The most rows that are counted, listed and named. */
const MAX_COUNT = 10_000;
const MAX_APPROVALS = 100;
const MAX_NAMES = 2_000;
const MAX_WEBHOOKS = 50;
/** The deliveries of a webhook from which its rate is counted. */
const RECENT_DELIVERIES = 20;
/** How many earlier orders to a recipient are looked at for one that settled. */
const MAX_EARLIER = 10;

const TOTALS = `
  SELECT count(*)::int AS accounts, count(*) FILTER (WHERE paused)::int AS paused_accounts,
    coalesce(sum(read_micro_usdc), 0)::text AS balance,
    (SELECT count(*)::int FROM (
       SELECT 1 FROM orders WHERE operator_id = $1 AND status = 'pending_approval' LIMIT ${MAX_COUNT}) AS waiting) AS pending_approvals,
    (SELECT count(*)::int FROM (
       SELECT 1 FROM sessions WHERE operator_id = $1 AND state IN ('open', 'closing') LIMIT ${MAX_COUNT}) AS open) AS open_sessions,
    (SELECT count(*)::int FROM (
       SELECT 1 FROM purses WHERE operator_id = $1 AND status IN ('open', 'closing') LIMIT ${MAX_COUNT}) AS open) AS open_purses,
    (SELECT count(*)::int FROM (
      SELECT 1 FROM webhooks JOIN webhook_deliveries AS delivery ON delivery.webhook_id = webhooks.id AND delivery.status = 'undelivered'
      WHERE webhooks.operator_id = $1 AND webhooks.status <> 'deleted' LIMIT ${MAX_COUNT}) AS failed) AS undelivered
  FROM accounts WHERE operator_id = $1 AND state = 'open'`;

/** The index of counterparties has the default collation, and `payee` another: without the cast the index is not used. */
const APPROVALS = `
  WITH waiting AS (
    SELECT * FROM orders WHERE operator_id = $1 AND status = 'pending_approval' ORDER BY approval_expires_at LIMIT ${MAX_APPROVALS}),
  paid AS (
    SELECT recipient.destination, EXISTS (
      SELECT FROM (SELECT status FROM orders WHERE operator_id = $1 AND kind = 'transfer' AND final_at IS NOT NULL
            AND destination = recipient.destination ORDER BY id DESC LIMIT ${MAX_EARLIER}) AS earlier
      WHERE earlier.status = 'settled') AS before
    FROM (SELECT DISTINCT destination FROM waiting WHERE destination IS NOT NULL) AS recipient)
  SELECT CASE waiting.kind WHEN 'channel_purse' THEN 'purse' ELSE waiting.kind END AS kind, coalesce(waiting.session_id, waiting.id) AS id, waiting.account_id,
    coalesce(waiting.recipient, waiting.payee) AS to, coalesce(sessions.provider, purses.host) AS provider,
    waiting.micro_usdc::text AS amount, waiting.memo, waiting.category, waiting.created_by, waiting.created_at,
    waiting.approval_expires_at AS expires_at,
    CASE waiting.kind WHEN 'transfer' THEN paid.before WHEN 'purse' THEN NULL WHEN 'channel_purse' THEN NULL
      ELSE (SELECT true FROM ledger_entries AS earlier WHERE earlier.operator_id = $1
            AND earlier.counterparty = waiting.payee COLLATE "default" LIMIT 1) IS NOT NULL END AS has_paid_before
  FROM waiting LEFT JOIN sessions ON sessions.id = waiting.session_id LEFT JOIN purses ON purses.id = waiting.id
    LEFT JOIN paid ON paid.destination = waiting.destination
  ORDER BY waiting.approval_expires_at`;

// Conditions and order of both columns keep the planner from the primary key, which it would walk for a webhook with few deliveries.
const WEBHOOK_HEALTH = `
  SELECT webhook.id AS webhook_id, recent.delivered, recent.finished, failed.at, failed.status_code, failed.error
  FROM (SELECT id FROM webhooks WHERE operator_id = $1 AND status <> 'deleted' ORDER BY id DESC LIMIT ${MAX_WEBHOOKS}) AS webhook
  CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE status = 'delivered')::int AS delivered, count(*) FILTER (WHERE status <> 'pending')::int AS finished,
      array_agg(id) AS ids
    FROM (SELECT id, status FROM webhook_deliveries WHERE (webhook_id, id) > (webhook.id, '') AND (webhook_id, id) < (webhook.id, 'e')
          ORDER BY webhook_id DESC, id DESC LIMIT ${RECENT_DELIVERIES}) AS delivery) AS recent
  LEFT JOIN LATERAL (
    SELECT at, status_code, error FROM webhook_delivery_attempts
    WHERE delivery_id = ANY(recent.ids) AND error IS NOT NULL ORDER BY at DESC LIMIT 1) AS failed ON true
  ORDER BY webhook.id DESC`;

interface WebhookHealthRow extends Omit<WebhookHealthView, 'last_error'> {
  at: Date | null;
  status_code: number | null;
  error: string | null;
}
interface TotalsRow extends Omit<OverviewView, 'balance_usdc' | 'failing_webhooks'> {
  balance: string;
}
interface ApprovalRow extends Omit<ApprovalView, 'amount_usdc' | 'created_at' | 'expires_at'> {
  amount: string;
  created_at: Date;
  expires_at: Date;
}

/** Reads data of the dashboard from the database alone, so that it is available while the chain is not. */
@Injectable()
export class DashboardDataService {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly sums: LedgerSums,
    private readonly health: WebhookHealth,
  ) {}

  /** Counts, and the sum of the balances. */
  async overview(operatorId: string): Promise<OverviewView> {
    const [totals, failing]: [TotalsRow[], number] = await Promise.all([
      this.database.query(TOTALS, [operatorId]),
      this.health.failing(operatorId),
    ]);
    const [
      { balance, ...counts } = {
        balance: '0',
        accounts: 0,
        paused_accounts: 0,
        pending_approvals: 0,
        open_sessions: 0,
        open_purses: 0,
        undelivered: 0,
      },
    ] = totals;
    return { ...counts, failing_webhooks: failing, balance_usdc: formatUsdc(BigInt(balance)) };
  }

  /** The last `count` hours or days, oldest first; the last one is the current one. */
  async spans(operatorId: string, span: 'hour' | 'day', count: number): Promise<{ data: SpanView[] }> {
    const size = SPANS_MS[span];
    const current = Math.floor(this.clock.now().getTime() / size) * size;
    const since = new Date(current - (count - 1) * size);
    const known = new Map((await this.sums.spans(operatorId, span, since)).map((row) => [row.at.getTime(), row]));
    const data = Array.from({ length: count }, (_, index) => {
      const at = since.getTime() + index * size;
      const row = known.get(at);
      return {
        at: new Date(at).toISOString(),
        settled_usdc: formatUsdc(row?.settledMicroUsdc ?? 0n),
        settled_count: row?.settledCount ?? 0,
        declined_usdc: formatUsdc(row?.declinedMicroUsdc ?? 0n),
        declined_count: row?.declinedCount ?? 0,
      };
    });
    return { data };
  }

  /** The orders that wait for an operator's approval, the first to expire first. */
  async approvals(operatorId: string): Promise<{ data: ApprovalView[] }> {
    const rows: ApprovalRow[] = await this.database.query(APPROVALS, [operatorId]);
    const data = rows.map(({ amount, created_at, expires_at, ...row }) => ({
      ...row,
      amount_usdc: formatUsdc(BigInt(amount)),
      created_at: created_at.toISOString(),
      expires_at: expires_at.toISOString(),
    }));
    return { data };
  }

  /** How the newest deliveries of the newest webhooks went. */
  async webhooks(operatorId: string): Promise<{ data: WebhookHealthView[] }> {
    const rows: WebhookHealthRow[] = await this.database.query(WEBHOOK_HEALTH, [operatorId]);
    const data = rows.map(({ at, status_code, error, ...counts }) => ({
      ...counts,
      last_error: at && { at: at.toISOString(), status_code, error },
    }));
    return { data };
  }

  /** The names of API keys, newest first, which are shown instead of ids. */
  async keyNames(operatorId: string): Promise<{ data: KeyNameView[] }> {
    const data: KeyNameView[] = await this.database.query(
      `SELECT id AS key_id, name, type, revoked_at IS NOT NULL AS is_revoked FROM api_keys WHERE operator_id = $1 ORDER BY id DESC
          LIMIT ${MAX_NAMES}`,
      [operatorId],
    );
    return { data };
  }
}
