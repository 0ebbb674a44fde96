import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { LedgerEntry } from './ledger-entry.entity';
import { LedgerService } from './ledger.service';

/** Ledger entries. */
@Module({ imports: [TypeOrmModule.forFeature([LedgerEntry])], providers: [LedgerService], exports: [LedgerService] })
export class LedgerModule {}
