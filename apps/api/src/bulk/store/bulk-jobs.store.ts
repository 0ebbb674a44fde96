import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { execute, hydrate, type Row, type Sql, sql } from '#database';
import { pauseDecidedSince } from '../../accounts';
import { OutboxService } from '../../events';
import { Lease } from '../../persistence/lease';
import { Clock } from '../../runtime/clock';
import { Config } from '../../runtime/config';
import { RowMacs } from '../../secrets';
import { BulkJob, factsOf, type Step, type StepOutcome } from '../bulk-job.entity';

const RETENTION_MS = 90 * 24 * 60 * 60 * 1000;
/** Jobs that one run of the retention deletes. The next one deletes what is left. */
const MAX_DELETED = 20;

const IS_OPEN = sql`status IN ('running', 'cancelling')`;
/** Jobs of one operator follow each other; a pause waits for none, and one that waits for signatures holds none up. */
const IS_NEXT = sql`(status = 'cancelling' OR NOT EXISTS (
  SELECT 1 FROM bulk_jobs earlier WHERE earlier.operator_id = bulk_jobs.operator_id AND earlier.number < bulk_jobs.number
    AND earlier.status IN ('running', 'cancelling') AND NOT earlier.is_signed_outside))`;

/** Open steps of jobs about accounts that a single request has paused or resumed since the job was accepted. */
const DECIDED_STEPS = sql`FROM bulk_jobs job
  CROSS JOIN LATERAL (${pauseDecidedSince(sql`job.operator_id`, sql`job.pause_decision`)}) decided
  JOIN bulk_job_accounts step ON step.job_id = job.id AND step.account_id = decided.id
  WHERE step.status IN ('waiting', 'in_work') AND NOT step.is_superseded`;

/** The SQL of bulk jobs and their accounts. Whatever changes accounts of a job locks the job's row first. */
@Injectable()
export class BulkJobsStore {
  readonly lease: Lease;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly outbox: OutboxService,
    private readonly macs: RowMacs,
    config: Config,
  ) {
    this.lease = new Lease(database, clock, { table: 'bulk_jobs', durationMs: config.LEASE_MS });
  }

  /** Claims jobs whose turn it is: pauses at once, the others in their order. */
  async claim({ pauses, others }: { pauses: number; others: number }): Promise<BulkJob[]> {
    const claimed = async (where: Sql, limit: number) =>
      limit <= 0 ? [] : this.lease.claim({ where: sql`${IS_OPEN} AND ${where}`, limit });
    const rows = [...(await claimed(sql`action = 'pause'`, pauses)), ...(await claimed(sql`action <> 'pause' AND ${IS_NEXT}`, others))];
    return rows.map((row) => this.job(row));
  }

  /** Whether the service wrote a job and its list of accounts as they are. It signs for no other. */
  async isGenuine(job: BulkJob): Promise<boolean> {
    const rows = await execute(this.database, sql`SELECT account_id FROM bulk_job_accounts WHERE job_id = ${job.id} ORDER BY position`);
    const ids = rows.map(({ account_id }) => String(account_id));
    return this.macs.isGenuine('bulk-job', factsOf(job, ids), job.mac);
  }

  /** The code of a job that is to be stored. */
  macOf(job: Parameters<typeof factsOf>[0], accountIds: string[]): Buffer {
    return this.macs.of('bulk-job', factsOf(job, accountIds));
  }

  /** Returns to waiting what a dead process had in work. */
  resume(jobId: string): Promise<void> {
    return this.changeSteps(jobId, sql`status = 'in_work'`, sql`status = 'waiting'`);
  }

  /**
   * Takes waiting accounts of a running job into work, in their order, behind a position. Those that wait for a signature are left out, unless
   * `part` names them. Empty if there are none, or the job does not run any more.
   */
  async take(jobId: string, { after = -1, limit, part }: { after?: number; limit: number; part?: number }): Promise<Step[]> {
    return this.locked(jobId, async (manager, job) => {
      if (job.status !== 'running') return [];
      await this.supersede(manager, jobId);
      // A process that died may have had a part in work: its signature is handed in again.
      const ofPart =
        part === undefined ? sql`part IS NULL AND status = 'waiting'` : sql`part = ${part} AND status IN ('waiting', 'in_work')`;
      const rows = await run(
        manager,
        sql`UPDATE bulk_job_accounts step SET status = 'in_work'
            WHERE job_id = ${jobId} AND position IN (
              SELECT position FROM bulk_job_accounts WHERE job_id = ${jobId} AND ${ofPart} AND position > ${after}
              ORDER BY position LIMIT ${limit})
            RETURNING position, account_id, is_superseded, EXISTS (
              SELECT 1 FROM bulk_job_accounts other
              WHERE other.account_id = step.account_id AND other.status = 'in_work' AND other.job_id <> ${jobId}) AS is_contested`,
      );
      return rows.map(stepOf).toSorted((one, other) => one.position - other.position);
    });
  }

  /** Returns accounts in work to waiting. */
  putBack(jobId: string, steps: Step[]): Promise<void> {
    const positions = steps.map(({ position }) => position);
    return this.changeSteps(jobId, sql`position = ANY(${positions})`, sql`status = 'waiting'`);
  }

  /** Takes the accounts of a part that still wait out of it. */
  leavePart(jobId: string, part: number): Promise<void> {
    return this.changeSteps(jobId, sql`part = ${part}`, sql`part = NULL`);
  }

  /** Stores what became of accounts in work. `message`: why the job does not go on at the moment; null if it does. */
  async record(jobId: string, outcomes: StepOutcome[], message: string | null): Promise<void> {
    const positions = outcomes.map(({ position }) => position);
    const column = (of: (outcome: StepOutcome) => string | null): (string | null)[] => outcomes.map(of);
    await this.locked(jobId, async (manager, { message: before }) => {
      await run(
        manager,
        sql`UPDATE bulk_job_accounts step SET status = outcome.status, error = outcome.error, message = outcome.message
            FROM unnest(${positions}::integer[], ${column(({ status }) => status)}::text[],
                        ${column((one) => (one.status === 'failed' ? one.error : null))}::text[],
                        ${column((one) => (one.status === 'failed' ? one.message : null))}::text[])
              AS outcome (position, status, error, message)
            WHERE step.job_id = ${jobId} AND step.position = outcome.position AND step.status IN ('waiting', 'in_work')`,
      );
      await this.settle(manager, [jobId]);
      if (message !== before) await run(manager, sql`UPDATE bulk_jobs SET message = ${message} WHERE id = ${jobId}`);
    });
  }

  /** Makes a part of accounts in work: they wait for one signature. Returns its number. */
  async makePart(jobId: string, positions: number[]): Promise<number> {
    return this.locked(jobId, async (manager) => {
      const [row] = await run(
        manager,
        sql`WITH next AS (SELECT COALESCE(max(part), 0) + 1 AS part FROM bulk_job_accounts WHERE job_id = ${jobId} AND part IS NOT NULL),
                 made AS (UPDATE bulk_job_accounts step SET status = 'waiting', part = next.part FROM next
                          WHERE job_id = ${jobId} AND position = ANY(${positions}) RETURNING 1),
                 outside AS (UPDATE bulk_jobs SET is_signed_outside = true WHERE id = ${jobId})
            SELECT part FROM next`,
      );
      return Number(row?.part);
    });
  }

  async storeRequest(jobId: string, part: number, signatureRequestId: string): Promise<void> {
    await execute(
      this.database,
      sql`INSERT INTO bulk_job_parts (job_id, part, signature_request_id) VALUES (${jobId}, ${part}, ${signatureRequestId})
          ON CONFLICT (job_id, part) DO UPDATE SET signature_request_id = excluded.signature_request_id`,
    );
  }

  /**
   * Ends a job whose accounts all had their turn, or that is cancelled and has none in work, with its event. Returns whether it has ended.
   */
  async finish(jobId: string): Promise<boolean> {
    return this.locked(jobId, async (manager, job) => {
      if (job.status !== 'running' && job.status !== 'cancelling') return true;
      const [busy] = await run(manager, sql`SELECT 1 FROM bulk_job_accounts WHERE job_id = ${jobId} AND status = 'in_work' LIMIT 1`);
      const isComplete = job.done + job.failed === job.total;
      if (busy || (job.status === 'running' && !isComplete)) return false;
      const status = job.status === 'running' ? 'finished' : 'cancelled';
      const now = this.clock.now();
      await run(
        manager,
        sql`UPDATE bulk_jobs SET status = ${status}, finished_at = ${now}, message = NULL, lease_until = ${now} WHERE id = ${jobId}`,
      );
      const { action, total, done, failed, operatorId } = job;
      const data = { job_id: jobId, action, total, done, failed, status, finished_at: now.toISOString() } as const;
      await this.outbox.record(manager, { operatorId, accountId: null, type: 'job.finished', data });
      return true;
    });
  }

  /** Takes out of open jobs whether accounts are paused that single requests have decided on since. */
  async supersedeDecided(): Promise<void> {
    const rows = await execute(this.database, sql`SELECT DISTINCT job.id ${DECIDED_STEPS} AND job.status IN ('running', 'cancelling')`);
    for (const { id } of rows) await this.locked(String(id), (manager) => this.supersede(manager, String(id)));
  }

  /** Deletes jobs that ended long ago. */
  async deleteOld(): Promise<void> {
    const oldest = new Date(this.clock.now().getTime() - RETENTION_MS);
    await execute(
      this.database,
      sql`DELETE FROM bulk_jobs WHERE id IN (SELECT id FROM bulk_jobs WHERE finished_at < ${oldest} ORDER BY finished_at LIMIT ${MAX_DELETED})`,
    );
  }

  /** Runs work in a transaction that has the job's row locked. */
  locked<T>(jobId: string, work: (manager: EntityManager, job: BulkJob) => Promise<T>): Promise<T> {
    return this.database.transaction(async (manager) => {
      const [row] = await run(manager, sql`SELECT * FROM bulk_jobs WHERE id = ${jobId} FOR NO KEY UPDATE`);
      if (!row) throw new Error(`the job ${jobId} does not exist`);
      return work(manager, this.job(row));
    });
  }

  /** Marks as done what a later decision has superseded as a whole, and counts what is done and failed, in jobs that are locked. */
  async settle(manager: EntityManager, jobIds: string[]): Promise<void> {
    await run(
      manager,
      sql`UPDATE bulk_job_accounts step SET status = 'done' FROM bulk_jobs job
          WHERE job.id = step.job_id AND step.job_id = ANY(${jobIds}) AND step.is_superseded AND step.status = 'waiting'
            AND job.status = 'running' AND (job.action IN ('pause', 'resume') OR job.policy - 'paused' = '{}'::jsonb)`,
    );
    await run(
      manager,
      sql`UPDATE bulk_jobs SET done = counted.done, failed = counted.failed FROM (
            SELECT job_id, count(*) FILTER (WHERE status = 'done') AS done, count(*) FILTER (WHERE status = 'failed') AS failed
            FROM bulk_job_accounts WHERE job_id = ANY(${jobIds}) GROUP BY job_id) counted
          WHERE bulk_jobs.id = counted.job_id`,
    );
  }

  job(row: Row): BulkJob {
    return hydrate(this.database, BulkJob, row);
  }

  /** Steps of a locked job leave alone whether accounts are paused that a single request has decided on since. */
  private async supersede(manager: EntityManager, jobId: string): Promise<void> {
    const changed = await run(
      manager,
      sql`UPDATE bulk_job_accounts SET is_superseded = true
          WHERE job_id = ${jobId} AND position IN (SELECT step.position ${DECIDED_STEPS} AND job.id = ${jobId})
          RETURNING position`,
    );
    if (changed.length > 0) await this.settle(manager, [jobId]);
  }

  private changeSteps(jobId: string, where: Sql, set: Sql): Promise<void> {
    return this.locked(jobId, async (manager) => {
      await run(
        manager,
        sql`UPDATE bulk_job_accounts SET ${set} WHERE job_id = ${jobId} AND status IN ('waiting', 'in_work') AND ${where}`,
      );
      await this.settle(manager, [jobId]);
    });
  }
}

/** Runs a statement in a transaction. Returns the rows that it selects or returns. */
export async function run(manager: EntityManager, { text, values }: Sql): Promise<Row[]> {
  const answer: unknown = await manager.query(text, values);
  if (!Array.isArray(answer)) return [];
  // TypeORM answers an UPDATE with its rows and their number.
  return (Array.isArray(answer[0]) ? answer[0] : answer) as Row[];
}

function stepOf({ position, account_id, is_superseded, is_contested }: Row): Step {
  return {
    position: Number(position),
    accountId: String(account_id),
    isSuperseded: is_superseded === true,
    isContested: is_contested === true,
  };
}
