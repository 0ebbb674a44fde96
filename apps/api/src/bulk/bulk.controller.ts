import { Body, Controller, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Answers } from '../http/answers';
import { Caller } from '../http/caller';
import { DryRunHeader, SupportsDryRun } from '../http/dry-run';
import { IdempotencyKeyHeader } from '../http/headers';
import { LargeBody } from '../http/body/json-body';
import { BulkJobsService } from './bulk-jobs.service';
import { type BulkDryRunView, BulkDto, type JobView } from './bulk.dto';

/** One change of many accounts. */
@Controller('accounts/bulk')
export class BulkController {
  constructor(private readonly jobs: BulkJobsService) {}

  /**
   * Changes many accounts by one request.
   *
   * The job and its list of accounts are stored before the 202, and the service does the rest: read the job. A `pause` begins at once; other jobs
   * run one after the other. An account that does not exist is a failure of the job. Where the operator holds the chain key, `signature_requests`
   * are the transactions to sign, each for as many accounts as fit. The body may have 1 MiB.
   */
  @Post()
  @LargeBody()
  @SupportsDryRun()
  @Answers({ statuses: [202], errors: ['idempotency_conflict'], headers: ['Idempotent-Replayed'] })
  async bulk(
    @Body() wanted: BulkDto,
    @IdempotencyKeyHeader() key: string | undefined,
    @DryRunHeader() isDryRun: boolean,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<JobView | BulkDryRunView> {
    if (isDryRun) {
      response.status(200);
      return this.jobs.dryRun(caller, wanted);
    }
    response.status(202);
    const { job, isReplay } = await this.jobs.create(caller, wanted, key);
    if (isReplay) response.set('Idempotent-Replayed', 'true');
    return job;
  }
}
