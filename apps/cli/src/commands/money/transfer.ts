import { readFile, stat } from 'node:fs/promises';
import { SingleBar } from 'cli-progress';
import { formatUsdc, parseUsdc } from '#client';
import type { Context, Register } from '../../context';
import { Exit, ExitCode, UsageError } from '../../output/exit-codes';
import { amount, given, wholeNumber } from '../../options';
import { printOrder, printPrediction } from '../../orders';
import { table } from '../../output/output';
import { readPayouts, type Payout } from '../../payouts/rows';
import { countsText, payAll, REPORT_COLUMNS, type Report } from '../../payouts/run';
import { transferFields } from './transfers';

interface TransferOptions {
  from?: string;
  to?: string;
  amount?: string;
  memo?: string;
  category?: string;
  reference?: string;
  idempotencyKey?: string;
  dryRun?: boolean;
  file?: string;
  batch?: string;
  concurrency: number;
  yes?: boolean;
}

const MAX_FILE_BYTES = 10 * 1024 * 1024;
const MAX_CONCURRENCY = 16;
const PAID = ['settled', 'already_settled'];

/** `transfer` */
export const transfer: Register = (program, context) => {
  program
    .command('transfer')
    .description('pay USDC, or pay every row of a CSV file with --file')
    .option('--from <account>', 'which pays (default: APS_ACCOUNT, or the only one of an agent key)')
    .option('--to <recipient>', 'account id, handle or USDC token account')
    .option('--amount <usdc>', 'such as 12.50', amount)
    .option('--memo <text>')
    .option('--category <name>')
    .option('--reference <text>')
    .option('--idempotency-key <key>', 'to repeat the command without paying twice')
    .option('--dry-run', 'only say what would happen')
    .option('--file <csv>', 'columns: to, amount, and from, memo, category, reference, idempotency_key')
    .option('--batch <name>', 'with --file: derive the keys from this name, so that the file may be edited between runs')
    .option('--concurrency <number>', 'with --file: rows at once', wholeNumber(1, MAX_CONCURRENCY), 4)
    .option('--yes', 'with --file: do not ask')
    .action((options: TransferOptions) =>
      options.file === undefined ? payOne(context, options) : payFile(context, options.file, options),
    );
};

async function payOne(context: Context, options: TransferOptions): Promise<void> {
  const { from, to, amount: usdc, memo, category, reference, idempotencyKey } = options;
  if (to === undefined || usdc === undefined) throw new UsageError('Give --to and --amount, or --file.');
  if (options.batch !== undefined) throw new UsageError('--batch goes with --file only.');
  const client = context.client();
  const texts = given({ memo, category, reference, idempotency_key: idempotencyKey });
  const params = { from: await context.account(client, from), to, amount: usdc, ...texts };
  if (options.dryRun === true) return printPrediction(context, await client.transfers.dryRun(params));
  const created = await client.transfers.create(params);
  const paid = created.status === 'submitted' ? await client.transfers.waitUntilSettled(created) : created;
  printOrder(context, paid, transferFields);
}

async function payFile(context: Context, file: string, options: TransferOptions): Promise<void> {
  const single = (['to', 'amount', 'memo', 'category', 'reference', 'idempotencyKey', 'dryRun'] as const).filter(
    (name) => options[name] !== undefined,
  );
  if (single.length > 0)
    throw new UsageError(`--file goes with --from, --batch, --concurrency and --yes only, not with ${single.join(', ')}.`);
  const content = await read(file);
  const client = context.client();
  const { batch, concurrency } = options;
  const from = options.from ?? process.env.APS_ACCOUNT;
  const payouts = readPayouts(content, given({ from, batch }));
  context.note(summary(payouts));
  if (options.yes !== true) await context.agree('Pay them?', { rows: [], counts: {} }, 'Nothing was paid.');
  const bar = progressBar(payouts.length);
  const report = await payAll(client, payouts, { concurrency, signal: context.signal, onProgress: () => bar?.increment() });
  bar?.stop();
  context.print(report, `${table(REPORT_COLUMNS, report.rows)}\n\n${countsText(report)}`);
  if (context.signal.aborted) return;
  if (report.counts.unknown !== undefined || report.counts.not_sent !== undefined) {
    context.note(
      'The outcome of some rows is not known, or they were not sent: run the same command again. What settled is not paid again.',
    );
    throw new Exit(ExitCode.unreachable);
  }
  if (!isPaid(report)) throw new Exit(ExitCode.someRowsFailed);
}

async function read(file: string): Promise<Uint8Array> {
  try {
    const { size } = await stat(file);
    if (size > MAX_FILE_BYTES) throw new UsageError(`${file} is larger than ${MAX_FILE_BYTES} bytes.`);
    return await readFile(file);
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(`${file} cannot be read: ${String(error)}`);
  }
}

function summary(payouts: Payout[]): string {
  const total = payouts.reduce((sum, payout) => sum + parseUsdc(payout.amount), 0n);
  const sources = [...new Set(payouts.map((payout) => payout.from))];
  return `${payouts.length} transfers, ${formatUsdc(total)} USDC in all, from ${sources.length === 1 ? sources[0] : `${sources.length} accounts`}.`;
}

function isPaid({ rows }: Report): boolean {
  return rows.every(({ status }) => PAID.includes(status));
}

/** A bar on a terminal only: a log does not need it. */
function progressBar(total: number): SingleBar | undefined {
  if (process.stderr.isTTY !== true) return undefined;
  const bar = new SingleBar({ format: '{bar} {value}/{total} rows, {eta_formatted} left', stream: process.stderr, clearOnComplete: true });
  bar.start(total, 0);
  return bar;
}
