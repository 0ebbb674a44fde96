/** The public face of bulk, for the features right of it. */
export { BulkModule } from './bulk.module';
