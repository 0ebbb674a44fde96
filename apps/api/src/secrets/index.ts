/** What secrets offers to the features right of it. */
export { EncryptionService, type SealPurpose } from './encryption.service';
export { SecretsModule } from './secrets.module';
