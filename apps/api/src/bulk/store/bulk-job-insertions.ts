import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { newId, type Row, sql } from '#database';
import { AccountSelection, sortedLabels } from '../../accounts';
import { AuditLog } from '../../audit';
import type { Caller } from '../../http/caller';
import { lockOperator, OperatorsService } from '../../keys';
import { creationKeys, type IdempotencyKeys } from '../../persistence/idempotency';
import type { GivenCounterparty } from '../../policy';
import { Clock } from '../../runtime/clock';
import { Config } from '../../runtime/config';
import type { BulkAction, BulkJob } from '../bulk-job.entity';
import type { BulkDto } from '../bulk.dto';
import { BulkJobsStore, run } from './bulk-jobs.store';

/** The selection of a request, and what it asks for, or the service itself. */
type Selection = Pick<BulkDto, 'account_ids' | 'label' | 'fleet_id' | 'all'>;
export type Wanted = Omit<BulkDto, 'action'> & { action: BulkAction };

/** The members that a job is stored with besides its request. */
interface Request {
  counterparties: GivenCounterparty[];
  creationKey: string | undefined;
  creationHash: Buffer;
}

/** The accounts of a request. Those that are not known fail. */
interface Selected {
  ids: string[];
  known: ReadonlySet<string>;
}

/** Stores bulk jobs with the lists of their accounts. */
@Injectable()
export class BulkJobInsertions {
  private readonly keys: IdempotencyKeys;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly store: BulkJobsStore,
    private readonly selection: AccountSelection,
    private readonly operators: OperatorsService,
    private readonly audit: AuditLog,
  ) {
    this.keys = creationKeys(database, clock, { table: 'bulk_jobs', isOver: sql`status IN ('cancelled', 'finished')` });
  }

  /** The accounts of a request at this moment, each once. */
  async select(operatorId: string, { account_ids, label, fleet_id: fleetId }: Selection, manager?: EntityManager): Promise<Selected> {
    const unnamed = () => {
      if (fleetId !== undefined) return this.selection.openIn(operatorId, fleetId, manager);
      return label === undefined ? this.selection.all(operatorId, manager) : this.selection.labelled(operatorId, label, manager);
    };
    const ids = account_ids ? [...new Set(account_ids)] : await unnamed();
    return { ids, known: account_ids ? await this.selection.known(operatorId, ids, manager) : new Set(ids) };
  }

  /** Inserts a job, unless its key is in use: then returns the job that holds it. */
  async insert(caller: Caller, wanted: Wanted, request: Request): Promise<{ job: BulkJob; isNew: boolean }> {
    const insert = () => this.insertRows(caller, wanted, request);
    const { creationKey } = request;
    const { row, isNew } =
      creationKey === undefined
        ? { row: await insert(), isNew: true }
        : await this.keys.insertOnce([caller.operatorId], creationKey, insert);
    if (!row) throw new Error('a job without an idempotency key has no conflict');
    return { job: this.store.job(row), isNew };
  }

  /** The operator's row is locked, so that jobs are numbered in the order in which they commit. */
  private async insertRows(caller: Caller, wanted: Wanted, request: Request): Promise<Row | undefined> {
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
    job: Request & { ids: string[]; isSignedOutside: boolean },
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

  /** Labels are in the database only, a purse is ended by its account's authority, and the guardian adds accounts to a fleet. */
  private needsOperator({ action, new_fleet_id: newFleetId }: Wanted): boolean {
    return !isRelabelling(action) && action !== 'end_purses' && !(action === 'set_fleet' && newFleetId);
  }
}

/** Whether an action changes labels, which are in the database only. */
export function isRelabelling(action: BulkAction): boolean {
  return action === 'add_labels' || action === 'remove_labels';
}
