import { Module } from '@nestjs/common';
import { ContinuousJobsService } from './continuous-jobs.service';
import { JobsService } from './jobs.service';
import { TableStatistics } from './table-statistics';

/** Where features register their jobs, whether or not this process runs them. */
@Module({ providers: [JobsService, ContinuousJobsService, TableStatistics], exports: [JobsService, ContinuousJobsService] })
export class JobsModule {}
