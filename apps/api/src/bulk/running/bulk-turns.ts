import { setTimeout } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { Caller } from '../../http/caller';
import { Outages } from '../../jobs/outages';
import { Executions } from '../../persistence/executions';
import { Config } from '../../runtime/config';
import { Failpoints } from '../../runtime/failpoints';
import { SignatureRequestsService } from '../../signatures';
import { BulkChangeAction } from '../bulk-change.action';
import type { BulkJob } from '../bulk-job.entity';
import { BulkJobReader } from '../store/bulk-job-reader';
import { BulkJobsStore } from '../store/bulk-jobs.store';
import { BulkSteps, CHAIN_AWAY } from './bulk-steps';

/** Accounts in work at once: they take about eight transactions, which are sent together. */
const BATCH = 64;
/** How long one process works on a job before it claims it again: shorter than what counts as work that hangs. */
const TURN_MS = 20_000;
/** When accounts that wait have their next turn. */
const RETRY_MS = 1_000;
/** How often a job that waits for signatures is looked at: for accounts that were in creation. */
const SIGNED_RETRY_MS = 3_000;
/** When a job that the service did not write as it is is looked at again. */
const REFUSED_MS = 60_000;
/** How long the request that accepts a job waits for its signature requests. The worker makes those that are left. */
const ASK_WITHIN_MS = 10_000;

/** Works on claimed jobs, each for a turn. A process that dies leaves its jobs to others when the lease ends. */
@Injectable()
export class BulkTurns extends Executions<void> {
  protected readonly logger = new Logger('Bulk');
  private readonly outages = new Outages(this.logger);
  private isStopping = false;

  constructor(
    private readonly store: BulkJobsStore,
    private readonly reader: BulkJobReader,
    private readonly steps: BulkSteps,
    private readonly action: BulkChangeAction,
    private readonly requests: SignatureRequestsService,
    private readonly failpoints: Failpoints,
    config: Config,
  ) {
    super(config.LEASE_MS);
  }

  /** Asks for the signatures of a job that needs them, for a while; its row is leased by this process. The worker does all others. */
  async begin(job: BulkJob): Promise<void> {
    if (job.isSignedOutside) await Promise.race([this.run(job), setTimeout(ASK_WITHIN_MS, undefined, { ref: false })]);
  }

  /** Works on a job whose row this process has leased, and releases it. */
  run(job: BulkJob): Promise<void> {
    return this.track(job.id, this.turn(job));
  }

  /** Lets running turns end after the accounts that are in work. */
  stop(): void {
    this.isStopping = true;
  }

  protected renewLeases(ids: string[]): Promise<void> {
    return this.store.lease.renew(ids);
  }

  private async turn(job: BulkJob): Promise<void> {
    try {
      if (!(await this.store.isGenuine(job))) return await this.store.lease.release(job.id, { inMs: REFUSED_MS });
      const isOver = await this.work(job);
      if (!(await this.store.finish(job.id))) await this.store.lease.release(job.id, { inMs: isOver ? pauseOf(job) : 0 });
      this.outages.end('database');
    } catch (error) {
      // If the lease cannot be released either, it ends by itself.
      if (!this.outages.note(error))
        this.logger.error(`The job ${job.id} is interrupted: ${error instanceof Error ? error.stack : String(error)}`);
      await this.store.lease.release(job.id, { inMs: RETRY_MS }).catch(() => undefined);
    }
  }

  /** Goes over the waiting accounts once, in their order. Returns false if the time of the turn was over before. */
  private async work(job: BulkJob): Promise<boolean> {
    await this.store.resume(job.id);
    const until = performance.now() + TURN_MS;
    for (let after = -1; ; ) {
      if (this.isStopping || performance.now() > until) return false;
      const steps = await this.store.take(job.id, { after, limit: BATCH });
      const last = steps.at(-1);
      if (!last) break;
      after = last.position;
      this.failpoints.pass('bulk.taken');
      const { outcomes, unsigned, message } = await this.steps.run(job, steps);
      this.failpoints.pass('bulk.changed');
      await this.store.record(job.id, outcomes, message);
      for (const positions of unsigned) await this.ask(job, await this.store.makePart(job.id, positions));
      if (message === CHAIN_AWAY) return true;
    }
    for (const part of await this.reader.unaskedParts(job.id)) await this.ask(job, part);
    return true;
  }

  private async ask(job: BulkJob, part: number): Promise<void> {
    const caller: Caller = {
      operatorId: job.operatorId,
      keyId: job.createdBy,
      type: 'operator',
      accountIds: null,
      allowedHosts: null,
      requestId: job.id,
      ip: null,
    };
    const { body } = await this.requests.perform(caller, this.action, { jobId: job.id, part });
    if ('signature_request_id' in body) await this.store.storeRequest(job.id, part, body.signature_request_id);
  }
}

function pauseOf({ isSignedOutside }: BulkJob): number {
  return isSignedOutside ? SIGNED_RETRY_MS : RETRY_MS;
}
