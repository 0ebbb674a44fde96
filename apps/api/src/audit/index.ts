/** What audit offers to the features right of it. */
export { AuditLog, type Actor, type AuditChange } from './audit-log';
export { AuditModule } from './audit.module';
