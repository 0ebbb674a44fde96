import { Module } from '@nestjs/common';
import { LoopsService } from './loops.service';
import { SweepsService } from './jobs.service';

/** Where features leave their sweepers and their loops, whether or not this process runs them. */
@Module({ providers: [SweepsService, LoopsService], exports: [SweepsService, LoopsService] })
export class SweepsModule {}
