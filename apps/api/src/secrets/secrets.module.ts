import { Module } from '@nestjs/common';
import { EncryptionService } from './encryption.service';

/** Encryption of keys and other secrets at rest. */
@Module({ providers: [EncryptionService], exports: [EncryptionService] })
export class SecretsModule {}
