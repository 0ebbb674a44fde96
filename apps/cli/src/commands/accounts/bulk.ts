import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { AgentPayments, Schemas } from '#client';
import { type Context, type Register } from '../../context';
import { Exit, ExitCode, UsageError } from '../../output/exit-codes';
import { given, listLimit, several } from '../../options';
import { timeOf } from '../../output/output';
import { bodyOf, type PolicyOptions, withPolicyFields } from './policy';

type Job = Schemas['Job'];
type Change = Pick<Schemas['Bulk'], 'action' | 'policy' | 'labels'>;

interface SelectionOptions {
  label?: string;
  all?: boolean;
  yes?: boolean;
  wait?: boolean;
  idempotencyKey?: string;
}

/** The first pause between two looks at a job, and the longest. */
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;

const COLUMNS = {
  action: ({ action }: Job) => action,
  status: ({ status }: Job) => status,
  total: ({ total }: Job) => total,
  done: ({ done }: Job) => done,
  failed: ({ failed }: Job) => failed,
  created: ({ created_at }: Job) => timeOf(created_at),
  job: ({ job_id }: Job) => job_id,
};

/** `bulk pause | resume | set-policy | add-labels | remove-labels` */
export const bulk: Register = (program, context) => {
  const group = program.command('bulk').description('one change of many accounts, as a job of the service');
  for (const action of ['pause', 'resume'] as const)
    selecting(group.command(action).description(`${action} accounts`)).action((ids: string[], options: SelectionOptions) =>
      start(context, { action }, ids, options),
    );
  withPolicyFields(selecting(group.command('set-policy').description('change the same fields of their policies'))).action(
    (ids: string[], options: SelectionOptions & PolicyOptions) =>
      start(context, { action: 'set_policy', policy: bodyOf(options) }, ids, options),
  );
  for (const [name, action] of [
    ['add-labels', 'add_labels'],
    ['remove-labels', 'remove_labels'],
  ] as const)
    selecting(group.command(name).description(`${name.replace('-', ' ')}`))
      .requiredOption('--name <label>', 'the label; may be given several times', several)
      .action((ids: string[], { name: labels, ...options }: SelectionOptions & { name: string[] }) =>
        start(context, { action, labels }, ids, options),
      );
};

/** `jobs list | show | cancel` */
export const jobs: Register = (program, context) => {
  const group = program.command('jobs').description('bulk changes and how far they are');
  group
    .command('list')
    .description('list jobs, newest first')
    .option('--status <status>', 'running, cancelling, cancelled or finished')
    .option('--limit <number>', 'how many', listLimit)
    .action(async ({ limit, ...query }: { status?: Job['status']; limit?: number }) =>
      context.list(context.client().jobs.list(given(query)), limit, COLUMNS),
    );
  group
    .command('show')
    .description('a job, and the accounts that failed')
    .argument('<job>', 'its id')
    .action(async (id: string) => {
      const job = await context.client().jobs.retrieve(id);
      const { failures = [], ...fields } = job;
      const shown = failures.map(({ account_id, message }) => [account_id, message]);
      context.show(job, { ...fieldsOf(fields), ...Object.fromEntries(shown) });
    });
  group
    .command('cancel')
    .description('end a job: accounts in work are finished, no other is begun')
    .argument('<job>', 'its id')
    .action(async (id: string) => {
      const job = await context.client().jobs.cancel(id);
      context.show(job, fieldsOf(job));
    });
};

function selecting(command: Command): Command {
  return command
    .argument('[account...]', 'ids or handles')
    .option('--label <label>', 'the accounts with this label')
    .option('--all', 'all accounts')
    .option('--yes', 'do not ask')
    .option('--no-wait', 'do not wait for the end of the job')
    .option('--idempotency-key <key>', 'to repeat the command without a second job');
}

/** Says what changes, asks, and makes the job. */
async function start(context: Context, change: Change, ids: string[], options: SelectionOptions): Promise<void> {
  const body = { ...change, ...selectionOf(ids, options) };
  const client = context.client();
  const { total, changes } = await client.accounts.dryRunBulk(body);
  for (const sentence of changes) context.note(sentence);
  if (options.yes !== true)
    await context.agree(`Change ${total} ${total === 1 ? 'account' : 'accounts'}?`, { changed: false, changes }, 'Nothing was changed.');
  const made = await client.accounts.bulk(body, given({ idempotencyKey: options.idempotencyKey }));
  const job = options.wait === false ? made : await untilEnded(context, client, made);
  context.show(job, fieldsOf(job));
  if (job.status === 'running' && waitsForSignatures(job)) throw new Exit(ExitCode.waitsForSignature);
  if (job.failed > 0) throw new Exit(ExitCode.someRowsFailed);
}

/** @throws UsageError unless exactly one selection is given */
function selectionOf(ids: string[], { label, all }: SelectionOptions): Pick<Schemas['Bulk'], 'account_ids' | 'label' | 'all'> {
  const selections = [
    ...(ids.length > 0 ? [{ account_ids: ids }] : []),
    ...(label === undefined ? [] : [{ label }]),
    ...(all === true ? [{ all: true as const }] : []),
  ];
  const [only, ...others] = selections;
  if (!only || others.length > 0) throw new UsageError('Name accounts, --label <label> or --all: exactly one of them.');
  return only;
}

/** The job at its end, or once it only waits for signatures. */
async function untilEnded(context: Context, client: AgentPayments, made: Job): Promise<Job> {
  let job = made;
  for (let pause = FIRST_PAUSE_MS; job.finished_at === null && !waitsForSignatures(job); pause = Math.min(pause * 1.5, MAX_PAUSE_MS)) {
    await sleep(pause, undefined, { signal: context.signal });
    const { job_id, done, failed } = job;
    job = await client.jobs.retrieve(job_id);
    if (job.done !== done || job.failed !== failed) context.note(`${job.done + job.failed} of ${job.total}`);
  }
  return job;
}

function waitsForSignatures({ signature_requests = [] }: Job): boolean {
  return signature_requests.length > 0;
}

function fieldsOf({ job_id, action, status, total, done, failed, message, signature_requests, created_at, finished_at }: Job) {
  const signatures = signature_requests && { signature_requests: signature_requests.join(' ') };
  return { job_id, action, status, total, done, failed, message, ...signatures, created_at, finished_at };
}
