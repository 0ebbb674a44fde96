/** The public face of secrets, for the features right of it. */
export { AuditSigner } from './audit-signer';
export { EncryptionService, type SealPurpose } from './encryption.service';
export { LostCreations } from './lost-creations';
export { RequestTags } from './request-tags';
export { RowMacs } from './row-macs';
export { SecretsModule } from './secrets.module';
