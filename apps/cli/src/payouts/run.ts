/** Pays the rows of a file, several at once, and ends early when the service is unreachable or the user interrupts. */
import type { AgentPayments } from '#client';
import type { Columns } from '../output/output';
import { payRow, type RowResult, type RowStatus } from './pay-row';
import type { Payout } from './rows';

export interface RunOptions {
  concurrency: number;
  signal: AbortSignal;
  onProgress: () => void;
}

export interface Report {
  rows: RowResult[];
  counts: Partial<Record<RowStatus, number>>;
}

/** Pays each row at most once. Returns a result for every row, in the order of the file. */
export async function payAll(
  client: AgentPayments,
  payouts: readonly Payout[],
  { concurrency, signal, onProgress }: RunOptions,
): Promise<Report> {
  const results: RowResult[] = [];
  let next = 0;
  let isStopped = false;
  const work = async (): Promise<void> => {
    for (let index = next++; index < payouts.length; index = next++) {
      const payout = payouts[index] as Payout;
      const isOpen = !isStopped && !signal.aborted;
      const row = isOpen ? await payRow(client, payout) : notSent(payout);
      // The rows that follow would wait for the same outage, each for all its retries.
      if (row.status === 'unknown') isStopped = true;
      results[index] = row;
      if (isOpen) onProgress();
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, payouts.length) }, work));
  return { rows: results, counts: countsOf(results) };
}

/** The columns of the report. */
export const REPORT_COLUMNS: Columns<RowResult> = {
  line: ({ line }) => line,
  status: ({ status }) => status,
  amount: ({ amount_usdc }) => amount_usdc,
  to: ({ to }) => to,
  transfer: ({ transfer_id }) => transfer_id,
  message: ({ message, reason }) => message ?? reason ?? '',
};

/** The counts in words, such as "2 settled, 1 declined". */
export function countsText({ counts }: Report): string {
  return Object.entries(counts)
    .map(([status, count]) => `${count} ${status.replaceAll('_', ' ')}`)
    .join(', ');
}

function countsOf(rows: RowResult[]): Report['counts'] {
  const counts: Report['counts'] = {};
  for (const { status } of rows) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function notSent({ line, to, amount, key }: Payout): RowResult {
  return { line, to, amount_usdc: amount, status: 'not_sent', transfer_id: null, idempotency_key: key, reason: null, message: null };
}
