import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { JobsModule } from '../jobs/jobs.module';
import { LedgerEntry } from './ledger-entry.entity';
import { LedgerService } from './ledger.service';
import { LedgerSums } from './ledger-sums';

/** Ledger entries and their sums. */
@Module({
  imports: [JobsModule, TypeOrmModule.forFeature([LedgerEntry])],
  providers: [LedgerService, LedgerSums],
  exports: [LedgerService, LedgerSums],
})
export class LedgerModule {}
