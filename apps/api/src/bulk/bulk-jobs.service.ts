import { createHash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { isId, newId, type Row, sql } from '#database';
import { canonicalJson } from '#mpp';
import { AccountPolicyService, AccountSelection, sortedLabels } from '../accounts';
import { AuditLog } from '../audit';
import type { Caller } from '../http/caller';
import { InvalidRequest, NotFound, type Offender } from '../http/domain.errors';
import { type Page, toPage } from '../lists/pages';
import { FleetReader } from '../fleets';
import { JobsService } from '../jobs/jobs.service';
import { lockOperator, OperatorsService } from '../keys';
import { IdempotencyKeys } from '../persistence/idempotency';
import type { GivenCounterparty } from '../policy';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';
import type { BulkAction, BulkJob } from './bulk-job.entity';
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
import { BulkJobsStore, run } from './bulk-jobs.store';
import { BulkTurns } from './running/bulk-turns';

const RETENTION_EVERY_MS = 3_600_000;

/** The accounts of a request. Those that are not known fail. */
interface Selected {
  ids: string[];
  known: ReadonlySet<string>;
}

/** Accepts, shows and cancels bulk jobs. */
@Injectable()
export class BulkJobsService implements OnModuleInit {
  private readonly keys: IdempotencyKeys;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly store: BulkJobsStore,
    private readonly turns: BulkTurns,
    private readonly selection: AccountSelection,
    private readonly policies: AccountPolicyService,
    private readonly operators: OperatorsService,
    private readonly audit: AuditLog,
    private readonly jobs: JobsService,
    private readonly fleets: FleetReader,
  ) {
    this.keys = new IdempotencyKeys(database, {
      table: 'bulk_jobs',
      column: 'creation_key',
      clears: ['creation_hash', 'creation_key_until'],
      scope: ['operator_id'],
      isFree: () => sql`creation_key_until <= ${clock.now()} AND status IN ('cancelled', 'finished')`,
    });
  }

  onModuleInit(): void {
    this.jobs.register({ name: 'bulk-retention', everyMs: RETENTION_EVERY_MS, run: () => this.store.deleteOld() });
    this.policies.onPause((accountId) => this.store.supersede(accountId));
  }

  /**
   * Stores a job with its list of accounts. The worker does it. Where the operator holds its chain key, asks for the signatures.
   * @throws InvalidRequest; BulkKeyConflict
   */
  async create(caller: Caller, wanted: BulkDto, creationKey: string | undefined): Promise<{ job: JobView; isReplay: boolean }> {
    const counterparties = await this.check(caller, wanted);
    const creationHash = hashOf(wanted);
    const insert = () => this.insert(caller, wanted, { counterparties, creationKey, creationHash });
    const { row, isNew } =
      creationKey === undefined
        ? { row: await insert(), isNew: true }
        : await this.keys.insertOnce([caller.operatorId], creationKey, insert);
    if (!row) throw new Error('a job without an idempotency key has no conflict');
    const job = this.store.job(row);
    if (isNew) await this.turns.begin(job);
    else if (!job.creationHash?.equals(creationHash)) throw new BulkKeyConflict();
    return { job: await this.view(job.id), isReplay: !isNew };
  }

  /** Stores a job of the service's own that ends the open purses of accounts. Returns its id. */
  async endPurses(caller: Caller, accountIds: string[]): Promise<string> {
    const wanted: Wanted = { action: 'end_purses', account_ids: accountIds };
    const row = await this.insert(caller, wanted, { counterparties: [], creationKey: undefined, creationHash: Buffer.alloc(0) });
    return String(row?.id);
  }

  /** Labels are in the database only, a purse is ended by its account's authority, and the guardian adds accounts to a fleet. */
  private needsOperator({ action, new_fleet_id: newFleetId }: Wanted): boolean {
    return !isRelabelling(action) && action !== 'end_purses' && !(action === 'set_fleet' && newFleetId);
  }

  /** The effects that a request would have. Nothing is stored, and no key is taken. @throws InvalidRequest */
  async dryRun(caller: Caller, wanted: BulkDto): Promise<BulkDryRunView> {
    await this.check(caller, wanted);
    const { ids, known } = await this.select(caller.operatorId, wanted);
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
    const [view, failures] = await Promise.all([this.view(job.id), this.store.failures(job.id)]);
    return { ...view, failures, failures_truncated: view.failed > failures.length };
  }

  async list(caller: Caller, query: ListJobsQuery): Promise<Page<JobView>> {
    const jobs = await this.store.list(caller.operatorId, query);
    const requests = await this.store.requestsOf(jobs.map(({ id }) => id));
    return toPage(jobs, query, (job) => jobView(job, requests(job.id)));
  }

  /** @throws NotFound */
  async accounts(caller: Caller, id: string, query: ListJobAccountsQuery): Promise<Page<JobAccountView>> {
    const job = await this.find(caller, id);
    return toPage(await this.store.accounts(job.id, query), query, ({ account_id, status, error }) => ({ account_id, status, error }));
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
    const [job, requests] = await Promise.all([this.store.find(id), this.store.requestsOf([id])]);
    if (!job) throw new NotFound('There is no such job.');
    return jobView(job, requests(id));
  }

  private async find({ operatorId }: Caller, id: string): Promise<BulkJob> {
    const job = isId('job', id) ? await this.store.find(id) : undefined;
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

  /** The accounts of a request at this moment, each once. */
  private async select(
    operatorId: string,
    { account_ids, label, fleet_id: fleetId }: Selection,
    manager?: EntityManager,
  ): Promise<Selected> {
    const unnamed = () => {
      if (fleetId !== undefined) return this.selection.openIn(operatorId, fleetId, manager);
      return label === undefined ? this.selection.all(operatorId, manager) : this.selection.labelled(operatorId, label, manager);
    };
    const ids = account_ids ? [...new Set(account_ids)] : await unnamed();
    return { ids, known: account_ids ? await this.selection.known(operatorId, ids, manager) : new Set(ids) };
  }

  /** Inserts a job, unless its key is in use. The operator's row is locked, so that jobs are numbered in the order in which they commit. */
  private async insert(
    caller: Caller,
    wanted: Wanted,
    request: { counterparties: GivenCounterparty[]; creationKey: string | undefined; creationHash: Buffer },
  ): Promise<Row | undefined> {
    const { operatorId } = caller;
    const isSignedOutside = this.needsOperator(wanted) && (await this.operators.custody(operatorId)) === 'external';
    return this.database.transaction(async (manager) => {
      await lockOperator(manager, operatorId);
      const { ids, known } = await this.select(operatorId, wanted, manager);
      const row = await this.insertJob(manager, caller, wanted, { ...request, ids, isSignedOutside });
      if (!row) return undefined;
      const jobId = String(row.id);
      await run(
        manager,
        sql`INSERT INTO bulk_job_accounts (job_id, position, account_id, status, error, message)
            SELECT ${jobId}, given.position - 1, given.id, CASE WHEN given.known THEN 'waiting' ELSE 'failed' END,
                   CASE WHEN NOT given.known THEN 'not_found' END, CASE WHEN NOT given.known THEN 'There is no such account.' END
            FROM unnest(${ids}::text[], ${ids.map((id) => known.has(id))}::boolean[]) WITH ORDINALITY AS given (id, known, position)`,
      );
      await this.store.settle(manager, [jobId]);
      if (wanted.action === 'pause' || wanted.action === 'resume') await this.supersede(manager, row, ids);
      const { action, policy = null, label = null, labels, fleet_id, new_fleet_id } = wanted;
      const fleets = { ...(fleet_id !== undefined && { fleet_id }), ...(new_fleet_id !== undefined && { new_fleet_id }) };
      const after = { action, total: ids.length, label, policy, labels: labels ? sortedLabels(labels) : null, ...fleets };
      await this.audit.record(caller, { action: 'accounts.bulk', object: jobId, after }, manager);
      return row;
    });
  }

  private async insertJob(
    manager: EntityManager,
    { operatorId, keyId }: Caller,
    { action, policy, label, labels: given, fleet_id: fleetId, new_fleet_id: newFleetId = null }: Wanted,
    job: {
      counterparties: GivenCounterparty[];
      creationKey: string | undefined;
      creationHash: Buffer;
      ids: string[];
      isSignedOutside: boolean;
    },
  ): Promise<Row | undefined> {
    const now = this.clock.now();
    const keyUntil = new Date(now.getTime() + this.config.IDEMPOTENCY_TTL_SECONDS * 1000);
    const hasKey = job.creationKey !== undefined;
    // The request that accepts a job asks for its signatures, so that its response names them.
    const leaseUntil = job.isSignedOutside ? this.store.lease.end() : now;
    const id = newId('job', now);
    const counterparties = policy === undefined ? null : job.counterparties;
    const labels = given ? sortedLabels(given) : null;
    const mac = this.store.macOf({ id, operatorId, action, policy: policy ?? null, counterparties, labels, newFleetId }, job.ids);
    const [row] = await run(
      manager,
      sql`INSERT INTO bulk_jobs (id, operator_id, action, policy, counterparties, status, total, done, failed, is_signed_outside, created_by,
                 created_at, creation_key, creation_hash, creation_key_until, lease_until, mac, label, labels, fleet_id, new_fleet_id)
          VALUES (${id}, ${operatorId}, ${action}, ${policy === undefined ? null : JSON.stringify(policy)},
                  ${counterparties && JSON.stringify(counterparties)}, 'running', ${job.ids.length}, 0, 0, ${job.isSignedOutside},
                  ${keyId}, ${now}, ${job.creationKey ?? null}, ${hasKey ? job.creationHash : null}, ${hasKey ? keyUntil : null},
                   ${leaseUntil}, ${mac}, ${label ?? null}, ${labels},
                  ${fleetId ?? null}, ${newFleetId})
          ON CONFLICT (operator_id, creation_key) DO NOTHING RETURNING *`,
    );
    return row;
  }

  /** Takes the accounts out of the waiting steps of earlier jobs that would pause or resume them. */
  private async supersede(manager: EntityManager, { id, operator_id, number }: Row, ids: string[]): Promise<void> {
    const earlier = await run(
      manager,
      sql`SELECT id FROM bulk_jobs WHERE operator_id = ${operator_id} AND number < ${number} AND status IN ('running', 'cancelling')
          ORDER BY number FOR NO KEY UPDATE`,
    );
    const jobIds = earlier.map((job) => String(job.id)).filter((jobId) => jobId !== id);
    if (jobIds.length === 0) return;
    await run(
      manager,
      sql`UPDATE bulk_job_accounts SET is_superseded = true
          WHERE job_id = ANY(${jobIds}) AND account_id = ANY(${ids}) AND status IN ('waiting', 'in_work')`,
    );
    await this.store.settle(manager, jobIds);
  }
}

/** The selection of a request, and what it asks for, or the service itself. */
type Selection = Pick<BulkDto, 'account_ids' | 'label' | 'fleet_id' | 'all'>;
type Wanted = Omit<BulkDto, 'action'> & { action: BulkAction };

function isRelabelling(action: BulkAction): boolean {
  return action === 'add_labels' || action === 'remove_labels';
}

function hashOf({ action, account_ids, all, label, policy, labels, fleet_id, new_fleet_id }: BulkDto): Buffer {
  const selection = account_ids ? [...new Set(account_ids)] : (all ?? (fleet_id === undefined ? { label } : { fleet_id }));
  const target = new_fleet_id === undefined ? {} : { new_fleet_id };
  return createHash('sha256')
    .update(canonicalJson({ action, selection, policy: policy ?? null, ...(labels && { labels: sortedLabels(labels) }), ...target }))
    .digest();
}
