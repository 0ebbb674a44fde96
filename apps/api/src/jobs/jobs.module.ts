import { Module } from '@nestjs/common';
import { LoopsService } from './loops.service';
import { JobsService } from './jobs.service';

/** Where features leave their sweepers and their loops, whether or not this process runs them. */
@Module({ providers: [JobsService, LoopsService], exports: [JobsService, LoopsService] })
export class JobsModule {}
