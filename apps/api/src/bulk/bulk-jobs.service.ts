import { createHash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { isId, sql } from '#database';
import { canonicalJson } from '#mpp';
import { AccountPolicyService, AccountSelection, sortedLabels } from '../accounts';
import { AuditLog } from '../audit';
import type { Caller } from '../http/caller';
import { InvalidRequest, NotFound, type Offender } from '../http/domain.errors';
import { type Page, toPage } from '../lists/pages';
import { FleetReader } from '../fleets';
import { JobsService } from '../jobs/jobs.service';
import type { GivenCounterparty } from '../policy';
import type { BulkJob } from './bulk-job.entity';
import {
  type BulkDryRunView,
  type BulkDto,
  type JobAccountView,
  type JobDetailsView,
  jobView,
  type JobView,
  type ListJobAccountsQuery,
  type ListJobsQuery,
  policyOf,
} from './bulk.dto';
import { changesOfMany, fleetChangesOfMany, counted, labelChangesOfMany } from './bulk-changes';
import { BulkKeyConflict, JobFinished } from './bulk.errors';
import { BulkJobInsertions, isRelabelling, type Wanted } from './store/bulk-job-insertions';
import { BulkJobReader } from './store/bulk-job-reader';
import { BulkJobsStore, run } from './store/bulk-jobs.store';
import { BulkTurns } from './running/bulk-turns';

const RETENTION_EVERY_MS = 3_600_000;

/** Accepts, shows and cancels bulk jobs. */
@Injectable()
export class BulkJobsService implements OnModuleInit {
  constructor(
    private readonly store: BulkJobsStore,
    private readonly reader: BulkJobReader,
    private readonly insertions: BulkJobInsertions,
    private readonly turns: BulkTurns,
    private readonly selection: AccountSelection,
    private readonly policies: AccountPolicyService,
    private readonly audit: AuditLog,
    private readonly jobs: JobsService,
    private readonly fleets: FleetReader,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'bulk-retention', everyMs: RETENTION_EVERY_MS, run: () => this.store.deleteOld() });
  }

  /**
   * Stores a job with its list of accounts. The worker does it. If the operator holds its chain key, asks for the signatures.
   * @throws InvalidRequest; BulkKeyConflict
   */
  async create(caller: Caller, wanted: BulkDto, creationKey: string | undefined): Promise<{ job: JobView; isReplay: boolean }> {
    const counterparties = await this.check(caller, wanted);
    const creationHash = hashOf(wanted);
    const { job, isNew } = await this.insertions.insert(caller, wanted, { counterparties, creationKey, creationHash });
    if (isNew) await this.turns.begin(job);
    else if (!job.creationHash?.equals(creationHash)) throw new BulkKeyConflict();
    return { job: await this.view(job.id), isReplay: !isNew };
  }

  /** Stores a job of the service's own that ends the open purses of accounts. Returns its id. */
  async endPurses(caller: Caller, accountIds: string[]): Promise<string> {
    const wanted: Wanted = { action: 'end_purses', account_ids: accountIds };
    const request = { counterparties: [], creationKey: undefined, creationHash: Buffer.alloc(0) };
    return (await this.insertions.insert(caller, wanted, request)).job.id;
  }

  /** The effects that a request would have. Nothing is stored, and no key is taken. @throws InvalidRequest */
  async dryRun(caller: Caller, wanted: BulkDto): Promise<BulkDryRunView> {
    await this.check(caller, wanted);
    const { ids, known } = await this.insertions.select(caller.operatorId, wanted);
    const accounts = await this.selection.load(caller.operatorId, [...known]);
    const unknown = ids.filter((id) => !known.has(id)).map(() => 'There is no such account: it fails with not_found.');
    const ofKnown =
      wanted.action === 'set_fleet'
        ? fleetChangesOfMany(accounts, wanted.new_fleet_id ?? null)
        : isRelabelling(wanted.action)
          ? labelChangesOfMany(accounts, wanted)
          : changesOfMany(accounts, policyOf(wanted));
    const changes = [...ofKnown, ...counted(unknown)];
    return { dry_run: true, action: wanted.action, total: ids.length, changes };
  }

  /** @throws NotFound */
  async show(caller: Caller, id: string): Promise<JobDetailsView> {
    const job = await this.find(caller, id);
    const [view, failures] = await Promise.all([this.view(job.id), this.reader.failures(job.id)]);
    return { ...view, failures, failures_truncated: view.failed > failures.length };
  }

  async list(caller: Caller, query: ListJobsQuery): Promise<Page<JobView>> {
    const jobs = await this.reader.list(caller.operatorId, query);
    const requests = await this.reader.requestsOf(jobs.map(({ id }) => id));
    return toPage(jobs, query, (job) => jobView(job, requests(job.id)));
  }

  /** @throws NotFound */
  async accounts(caller: Caller, id: string, query: ListJobAccountsQuery): Promise<Page<JobAccountView>> {
    const job = await this.find(caller, id);
    return toPage(await this.reader.accounts(job.id, query), query, ({ account_id, status, error }) => ({ account_id, status, error }));
  }

  /** Begins no further account. Those in work are finished. @throws NotFound; JobFinished */
  async cancel(caller: Caller, id: string): Promise<JobView> {
    const { id: jobId } = await this.find(caller, id);
    await this.store.locked(jobId, async (manager, { status }) => {
      if (status === 'finished') throw new JobFinished();
      if (status !== 'running') return;
      await run(manager, sql`UPDATE bulk_jobs SET status = 'cancelling', message = NULL WHERE id = ${jobId}`);
      const change = { before: { status }, after: { status: 'cancelled' } };
      await this.audit.record(caller, { action: 'job.cancelled', object: jobId, ...change }, manager);
    });
    await this.store.finish(jobId);
    return this.view(jobId);
  }

  private async view(id: string): Promise<JobView> {
    const [job, requests] = await Promise.all([this.reader.find(id), this.reader.requestsOf([id])]);
    if (!job) throw new NotFound('There is no such job.');
    return jobView(job, requests(id));
  }

  private async find({ operatorId }: Caller, id: string): Promise<BulkJob> {
    const job = isId('job', id) ? await this.reader.find(id) : undefined;
    if (job?.operatorId !== operatorId) throw new NotFound('There is no such job.');
    return job;
  }

  /** The parts of a request that depend on each other. Returns the counterparties of its policy. @throws InvalidRequest */
  private async check({ operatorId }: Caller, wanted: BulkDto): Promise<GivenCounterparty[]> {
    const offenders: Offender[] = [];
    const selections = ['account_ids', 'label', 'fleet_id', 'all'] as const;
    if (selections.filter((name) => wanted[name] !== undefined).length !== 1)
      for (const field of selections) offenders.push({ field, message: `must be given alone: exactly one of ${selections.join(', ')}` });
    const takesPolicy = wanted.action === 'set_policy';
    if (takesPolicy && wanted.policy === undefined) offenders.push({ field: 'policy', message: 'is required with the action set_policy' });
    if (!takesPolicy && wanted.policy !== undefined)
      offenders.push({ field: 'policy', message: 'must be left out: only the action set_policy takes it' });
    if (isRelabelling(wanted.action) !== (wanted.labels !== undefined))
      offenders.push({
        field: 'labels',
        message: wanted.labels ? 'must be left out: only the label actions take them' : `is required with the action ${wanted.action}`,
      });
    if ((wanted.action === 'set_fleet') !== (wanted.new_fleet_id !== undefined))
      offenders.push({
        field: 'new_fleet_id',
        message:
          wanted.action === 'set_fleet' ? 'is required with the action set_fleet' : 'must be left out: only the action set_fleet takes it',
      });
    if (offenders.length > 0) throw new InvalidRequest(offenders);
    if (wanted.new_fleet_id) await this.fleets.joinable(operatorId, wanted.new_fleet_id, 'new_fleet_id');
    return (await this.policies.resolveChange(operatorId, wanted.policy ?? {}, 'policy.')).counterparties;
  }
}

function hashOf({ action, account_ids, all, label, policy, labels, fleet_id, new_fleet_id }: BulkDto): Buffer {
  const selection = account_ids ? [...new Set(account_ids)] : (all ?? (fleet_id === undefined ? { label } : { fleet_id }));
  const target = new_fleet_id === undefined ? {} : { new_fleet_id };
  return createHash('sha256')
    .update(canonicalJson({ action, selection, policy: policy ?? null, ...(labels && { labels: sortedLabels(labels) }), ...target }))
    .digest();
}
