import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { JobsModule } from '../jobs/jobs.module';
import { ArchivedMonths } from './archived-months';
import { LedgerEntry } from './ledger-entry.entity';
import { LedgerService } from './ledger.service';
import { LedgerSums } from './ledger-sums';
import { SumsComparison } from './sums-comparison';

/** Ledger entries and their sums. */
@Module({
  imports: [JobsModule, TypeOrmModule.forFeature([LedgerEntry])],
  providers: [ArchivedMonths, LedgerService, LedgerSums, SumsComparison],
  exports: [ArchivedMonths, LedgerService, LedgerSums, SumsComparison],
})
export class LedgerModule {}
