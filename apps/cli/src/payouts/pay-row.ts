/** Pays one row of a payouts file at most once, however often the file is run. */
import {
  APIConnectionError,
  APIError,
  APITimeoutError,
  ApprovalRequired,
  DeclinedError,
  NotSettledError,
  parseUsdc,
  RateLimitError,
  type AgentPayments,
  type Schemas,
} from '#client';
import type { Payout } from './rows';

type Transfer = Schemas['Transfer'];

/** settled: paid now. already_settled: by an earlier run. unknown: run it again. not_sent: the run ended before. */
export type RowStatus = 'settled' | 'already_settled' | 'pending_approval' | 'declined' | 'denied' | 'failed' | 'unknown' | 'not_sent';

export interface RowResult {
  line: number;
  to: string;
  amount_usdc: string;
  status: RowStatus;
  transfer_id: string | null;
  idempotency_key: string;
  reason: string | null;
  message: string | null;
}

/** How often one row may be tried again after declines, over all runs. */
const MAX_ATTEMPTS = 50;

/**
 * Looks for the row's transfers first, because an idempotency key may be used again 24 hours after its transfer: what settled is not paid
 * again. A decline by a rule is final for its key, so that the next run of a derived key goes on with the next one. An operator's denial
 * stays.
 */
export async function payRow(client: AgentPayments, payout: Payout): Promise<RowResult> {
  try {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const key = attempt === 1 ? payout.key : `${payout.key}-${attempt}`;
      const earlier = await latestOf(client, key);
      if (earlier && !isFor(earlier, payout)) return result(payout, key, 'failed', { ...noTransfer, message: otherPayment(earlier) });
      if (earlier?.status === 'settled') return result(payout, key, 'already_settled', earlier);
      if (earlier?.rejection_reason === 'denied') return result(payout, key, 'denied', earlier);
      if (earlier?.status === 'rejected' && earlier.rejection_reason !== 'insufficient_balance' && payout.isDerived) continue;
      return await create(client, payout, key);
    }
    return result(payout, payout.key, 'failed', { ...noTransfer, message: `It was declined ${MAX_ATTEMPTS} times.` });
  } catch (error) {
    return failure(payout, error);
  }
}

async function create(client: AgentPayments, payout: Payout, key: string): Promise<RowResult> {
  const { from, to, amount, memo, category, reference } = payout;
  const texts = {
    ...(memo !== undefined && { memo }),
    ...(category !== undefined && { category }),
    ...(reference !== undefined && { reference }),
  };
  const created = await client.transfers.create({ from, to, amount, ...texts, idempotency_key: key });
  return result(payout, key, 'settled', await client.transfers.waitUntilSettled(created));
}

async function latestOf(client: AgentPayments, key: string): Promise<Transfer | undefined> {
  const { data } = await client.transfers.list({ idempotency_key: key, limit: 1 });
  return data[0];
}

function isFor({ from, to, amount_usdc }: Transfer, payout: Payout): boolean {
  return from === payout.from && to === payout.to && parseUsdc(amount_usdc) === parseUsdc(payout.amount);
}

function otherPayment({ transfer_id }: Transfer): string {
  return `The idempotency key belongs to ${transfer_id}, which has another account, recipient or amount.`;
}

const noTransfer = { transfer_id: null, rejection_reason: null, message: null };

function failure(payout: Payout, error: unknown): RowResult {
  const { key } = payout;
  if (error instanceof ApprovalRequired && 'transfer_id' in error.object) return result(payout, key, 'pending_approval', error.object);
  if (error instanceof NotSettledError && 'transfer_id' in error.object) {
    const status = error.reason === 'denied' ? 'denied' : error.object.status === 'rejected' ? 'declined' : 'failed';
    return result(payout, key, status, { ...error.object, message: error.message });
  }
  if (error instanceof DeclinedError) {
    const of = { transfer_id: error.objectId ?? null, rejection_reason: error.reason, message: error.message };
    return result(payout, key, error.reason === 'denied' ? 'denied' : 'declined', of);
  }
  const message = error instanceof Error ? error.message : String(error);
  // 4xx: the service refused the request, so that nothing was sent.
  const isRefused = error instanceof APIError && error.status < 500 && !(error instanceof RateLimitError);
  const status = isRefused ? 'failed' : 'unknown';
  if (!isRefused && !(error instanceof APIError || error instanceof APITimeoutError || error instanceof APIConnectionError)) throw error;
  return result(payout, key, status, { ...noTransfer, message });
}

function result(
  { line, to, amount }: Payout,
  key: string,
  status: RowStatus,
  of: { transfer_id: string | null; rejection_reason?: string | null; message?: string | null },
): RowResult {
  const { transfer_id, rejection_reason: reason = null, message = null } = of;
  return { line, to, amount_usdc: amount, status, transfer_id, idempotency_key: key, reason, message };
}
