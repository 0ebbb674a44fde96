import { Module } from '@nestjs/common';
import { AuditSigner } from './audit-signer';
import { EncryptionService } from './encryption.service';
import { RequestTags } from './request-tags';
import { RowMacs } from './row-macs';

/** Encryption of keys and other secrets at rest. */
@Module({
  providers: [EncryptionService, RequestTags, RowMacs, AuditSigner],
  exports: [EncryptionService, RequestTags, RowMacs, AuditSigner],
})
export class SecretsModule {}
