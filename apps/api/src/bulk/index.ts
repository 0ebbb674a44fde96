/** The public face of bulk, for the features right of it. */
export { BulkJobsService } from './bulk-jobs.service';
export { BulkModule } from './bulk.module';
