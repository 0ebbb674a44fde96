import { BullModule } from '@nestjs/bullmq';
import { Module, type DynamicModule } from '@nestjs/common';
import type { Config } from '../runtime/config';
import { connectQueue } from './queue-connection';
import { LoopsRunner } from './loops.runner';
import { SWEEPS_QUEUE, SweepsProcessor } from './jobs.processor';
import { SweepsModule } from './jobs.module';

/** Background work, in the processes that do it. */
@Module({})
export class WorkerModule {
  static for(config: Config): DynamicModule {
    return {
      module: WorkerModule,
      imports: [SweepsModule, BullModule.forRoot({ connection: connectQueue(config) }), BullModule.registerQueue({ name: SWEEPS_QUEUE })],
      providers: [SweepsProcessor, LoopsRunner],
    };
  }
}
