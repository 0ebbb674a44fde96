import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { Answers } from '../http/answers';
import { Caller } from '../http/caller';
import { NoFields } from '../http/validation/no-fields';
import type { Page } from '../lists/pages';
import { BulkJobsService } from './bulk-jobs.service';
import { type JobAccountView, type JobDetailsView, type JobView, ListJobAccountsQuery, ListJobsQuery } from './bulk.dto';

/** Bulk jobs: how far they are, what failed, and their end. */
@Controller('jobs')
export class JobsController {
  constructor(private readonly jobs: BulkJobsService) {}

  /** Lists the bulk jobs of the last 90 days. */
  @Get()
  list(@Query() query: ListJobsQuery, @Caller() caller: Caller): Promise<Page<JobView>> {
    return this.jobs.list(caller, query);
  }

  /** Returns a bulk job with the accounts that failed. */
  @Get(':id')
  show(@Param('id') id: string, @Caller() caller: Caller): Promise<JobDetailsView> {
    return this.jobs.show(caller, id);
  }

  /** Lists the accounts of a bulk job, in the order of the call. */
  @Get(':id/accounts')
  accounts(@Param('id') id: string, @Query() query: ListJobAccountsQuery, @Caller() caller: Caller): Promise<Page<JobAccountView>> {
    return this.jobs.accounts(caller, id, query);
  }

  /**
   * Cancels a bulk job.
   *
   * Accounts in work are finished, and no other is begun. What was changed stays. Repeating it is safe; a finished job answers 409.
   */
  @Post(':id/cancel')
  @HttpCode(200)
  @Answers({ errors: ['conflict'] })
  cancel(@Param('id') id: string, @NoFields() _body: void, @Caller() caller: Caller): Promise<JobView> {
    return this.jobs.cancel(caller, id);
  }
}
