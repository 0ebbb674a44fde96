import { BullModule } from '@nestjs/bullmq';
import { Module, type DynamicModule } from '@nestjs/common';
import type { Config } from '../runtime/config';
import { QueueConnection } from './queue-connection';
import { ContinuousJobsRunner } from './continuous/continuous-jobs.runner';
import { JOBS_QUEUE, JobsProcessor } from './jobs.processor';
import { JobsModule } from './jobs.module';

@Module({})
class QueueConnectionModule {
  static for(config: Config): DynamicModule {
    return {
      module: QueueConnectionModule,
      providers: [{ provide: QueueConnection, useFactory: () => new QueueConnection(config) }],
      exports: [QueueConnection],
    };
  }
}

/** The worker: the jobs of all features, in the processes that run them. */
@Module({})
export class WorkerModule {
  static for(config: Config): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        JobsModule,
        BullModule.forRootAsync({
          imports: [QueueConnectionModule.for(config)],
          inject: [QueueConnection],
          useFactory: async (connection: QueueConnection) => ({ connection: await connection.open() }),
        }),
        BullModule.registerQueue({ name: JOBS_QUEUE }),
      ],
      providers: [JobsProcessor, ContinuousJobsRunner],
    };
  }
}
