/** The public face of audit, for the features right of it. */
export { AuditLog, type Actor, type AuditChange } from './audit-log';
export { type AuditAction, type AuditEntryView, ListAuditLogQuery } from './audit-log.dto';
export { AuditModule } from './audit.module';
