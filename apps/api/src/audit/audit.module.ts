import { Module } from '@nestjs/common';
import { AuditLogController } from './audit-log.controller';
import { AuditLog } from './audit-log';

/** The audit log: who changed what, as a chain of hashes for each operator. */
@Module({ controllers: [AuditLogController], providers: [AuditLog], exports: [AuditLog] })
export class AuditModule {}
