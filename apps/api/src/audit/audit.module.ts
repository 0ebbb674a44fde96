import { Module } from '@nestjs/common';
import { JobsModule } from '../jobs/jobs.module';
import { SecretsModule } from '../secrets';
import { AuditHeads } from './audit-heads';
import { AuditLogController } from './audit-log.controller';
import { AuditLog } from './audit-log';

/** The audit log: who changed what, as a chain of hashes for each operator. */
@Module({
  imports: [SecretsModule, JobsModule],
  controllers: [AuditLogController],
  providers: [AuditLog, AuditHeads],
  exports: [AuditLog],
})
export class AuditModule {}
