import { Injectable } from '@nestjs/common';
import { AccountSelection } from '../accounts';
import type { Caller } from '../http/caller';
import { NotFound } from '../http/domain.errors';
import { type Answer, OperatorAction, OperatorActions, type Signed } from '../signatures';
import type { BulkJob } from './bulk-job.entity';
import { jobView, type JobView, policyOf } from './bulk.dto';
import { JobCancelled } from './bulk.errors';
import { changesOfMany } from './bulk-changes';
import { BulkJobReader } from './store/bulk-job-reader';
import { BulkJobsStore } from './store/bulk-jobs.store';
import { BulkSteps } from './running/bulk-steps';

/** More accounts than one transaction can change. */
const MAX_OF_PART = 1_000;

interface PartParameters {
  jobId: string;
  part: number;
}

/** Changes the policies of the accounts that one transaction holds: a part of a bulk job, which the operator's chain key signs. */
@Injectable()
export class BulkChangeAction extends OperatorAction<PartParameters, JobView> {
  readonly name = 'accounts.bulk';

  constructor(
    actions: OperatorActions,
    private readonly store: BulkJobsStore,
    private readonly reader: BulkJobReader,
    private readonly steps: BulkSteps,
    private readonly selection: AccountSelection,
  ) {
    super(actions);
  }

  async run(caller: Caller, { jobId, part }: PartParameters, signed: Signed | null): Promise<Answer<JobView>> {
    const job = await this.find(caller, jobId);
    if (job.status === 'cancelled' || job.status === 'cancelling') throw new JobCancelled();
    const steps = await this.store.take(jobId, { part, limit: MAX_OF_PART });
    try {
      const { outcomes, message } = await this.steps.run(job, steps, signed);
      await this.store.record(jobId, outcomes, message);
    } catch (error) {
      await this.store.putBack(jobId, steps);
      throw error;
    }
    // An account that goes on waiting is asked for again, by another transaction.
    await this.store.leavePart(jobId, part);
    await this.store.finish(jobId);
    const [after, requests] = await Promise.all([this.find(caller, jobId), this.reader.requestsOf([jobId])]);
    return { status: 202, headers: {}, body: jobView(after, requests(jobId)) };
  }

  async describe(caller: Caller, { jobId, part }: PartParameters): Promise<{ accountId: null; summary: string[] }> {
    const job = await this.find(caller, jobId);
    const accounts = await this.selection.load(job.operatorId, await this.reader.ofPart(jobId, part));
    const names = accounts.map(({ id, name }) => `${name} (${id})`).join(', ');
    const what = `The policies of ${accounts.length} accounts are changed by the job ${jobId}: ${names}.`;
    return { accountId: null, summary: [what, ...changesOfMany(accounts, policyOf(job))] };
  }

  private async find({ operatorId }: Caller, id: string): Promise<BulkJob> {
    const job = await this.reader.find(id);
    if (job?.operatorId !== operatorId || !(await this.store.isGenuine(job))) throw new NotFound('There is no such job.');
    return job;
  }
}
