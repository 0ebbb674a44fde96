import { Controller, Get, Query } from '@nestjs/common';
import { Caller } from '../http/caller';
import type { Page } from '../lists/pages';
import { AuditLog } from './audit-log';
import { ListAuditLogQuery, type AuditEntryView } from './audit-log.dto';

/** The audit log of an operator. */
@Controller('audit_log')
export class AuditLogController {
  constructor(private readonly audit: AuditLog) {}

  /**
   * Lists who changed what.
   *
   * The entries are a chain: `hash` is the SHA-256, in hexadecimal, of the entry's canonical JSON (RFC 8785) without `hash`, and `previous_hash` is
   * the hash of the entry before it. A change on chain is recorded before it is sent: the chain may have refused it.
   */
  @Get()
  list(@Query() query: ListAuditLogQuery, @Caller() caller: Caller): Promise<Page<AuditEntryView>> {
    return this.audit.list(caller.operatorId, query);
  }
}
