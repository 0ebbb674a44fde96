import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger';
import { ArchiveService } from './archive.service';

/** Moves old months of the ledger into files and back: `npm run archive`. */
@Module({ imports: [LedgerModule], providers: [ArchiveService], exports: [ArchiveService] })
export class ArchiveModule {}
