import { BullModule } from '@nestjs/bullmq';
import { Module, type DynamicModule } from '@nestjs/common';
import type { Config } from '../runtime/config';
import { connectQueue } from './queue-connection';
import { ContinuousJobsRunner } from './continuous-jobs.runner';
import { JOBS_QUEUE, JobsProcessor } from './jobs.processor';
import { JobsModule } from './jobs.module';

/** The worker: the jobs of all features, in the processes that run them. */
@Module({})
export class WorkerModule {
  static for(config: Config): DynamicModule {
    return {
      module: WorkerModule,
      imports: [JobsModule, BullModule.forRoot({ connection: connectQueue(config) }), BullModule.registerQueue({ name: JOBS_QUEUE })],
      providers: [JobsProcessor, ContinuousJobsRunner],
    };
  }
}
