import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts';
import { AuditModule } from '../audit';
import { EventsModule } from '../events';
import { FleetsModule } from '../fleets';
import { JobsModule } from '../jobs/jobs.module';
import { KeysModule } from '../keys';
import { PaymentsModule } from '../payments';
import { PursesModule } from '../purses';
import { SecretsModule } from '../secrets';
import { SignaturesModule } from '../signatures';
import { BulkChangeAction } from './bulk-change.action';
import { BulkController } from './bulk.controller';
import { BulkJob } from './bulk-job.entity';
import { BulkJobsService } from './bulk-jobs.service';
import { BulkJobInsertions } from './store/bulk-job-insertions';
import { BulkJobReader } from './store/bulk-job-reader';
import { BulkJobsStore } from './store/bulk-jobs.store';
import { BulkRunner } from './running/bulk-runner';
import { BulkSteps } from './running/bulk-steps';
import { BulkTurns } from './running/bulk-turns';
import { JobsController } from './jobs.controller';

/** One change of many accounts, as a job. */
@Module({
  imports: [
    TypeOrmModule.forFeature([BulkJob]),
    AccountsModule,
    AuditModule,
    EventsModule,
    JobsModule,
    KeysModule,
    SecretsModule,
    SignaturesModule,
    FleetsModule,
    PaymentsModule,
    PursesModule,
  ],
  controllers: [BulkController, JobsController],
  providers: [BulkChangeAction, BulkJobInsertions, BulkJobReader, BulkJobsService, BulkJobsStore, BulkRunner, BulkSteps, BulkTurns],
  exports: [BulkJobsService],
})
export class BulkModule {}
