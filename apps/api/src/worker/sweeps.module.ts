import { Module } from '@nestjs/common';
import { SweepsService } from './sweeps.service';

/** Where features leave their sweepers, whether or not this process runs them. */
@Module({ providers: [SweepsService], exports: [SweepsService] })
export class SweepsModule {}
