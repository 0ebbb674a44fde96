import { Module } from '@nestjs/common';
import { AuditSigner } from './audit-signer';
import { EncryptionService } from './encryption.service';
import { LostCreations } from './lost-creations';
import { RequestTags } from './request-tags';
import { RowMacs } from './row-macs';

/** Encryption of keys and other secrets at rest. */
@Module({
  providers: [EncryptionService, RequestTags, LostCreations, RowMacs, AuditSigner],
  exports: [EncryptionService, RequestTags, LostCreations, RowMacs, AuditSigner],
})
export class SecretsModule {}
