/** The public face of archive, for the features right of it. */
export { readArchive } from './archive-file';
export { ArchiveModule } from './archive.module';
export { ArchiveService, type MovedMonth } from './archive.service';
