import { Module } from '@nestjs/common';
import { ContinuousJobsService } from './continuous/continuous-jobs.service';
import { JobsService } from './jobs.service';

/** The place where features register their jobs, whether or not this process runs them. */
@Module({ providers: [JobsService, ContinuousJobsService], exports: [JobsService, ContinuousJobsService] })
export class JobsModule {}
