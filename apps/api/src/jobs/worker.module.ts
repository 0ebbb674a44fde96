import { BullModule } from '@nestjs/bullmq';
import { Module, type DynamicModule } from '@nestjs/common';
import type { Config } from '../runtime/config';
import { connectQueue } from './queue-connection';
import { LoopsRunner } from './loops.runner';
import { SWEEPS_QUEUE, JobsProcessor } from './jobs.processor';
import { JobsModule } from './jobs.module';

/** Background work, in the processes that do it. */
@Module({})
export class WorkerModule {
  static for(config: Config): DynamicModule {
    return {
      module: WorkerModule,
      imports: [JobsModule, BullModule.forRoot({ connection: connectQueue(config) }), BullModule.registerQueue({ name: SWEEPS_QUEUE })],
      providers: [JobsProcessor, LoopsRunner],
    };
  }
}
