import { Controller, Delete, Get, HttpCode, Param, Req, VERSION_NEUTRAL } from '@nestjs/common';
import type { Request } from 'express';
import { AuditLog } from '../../audit';
import { Caller } from '../../http/caller';
import { NotFound } from '../../http/domain.errors';
import { BrowserSessionsService, type ListedSession } from '../../keys';
import type { BrowserSessionView } from '../views';

const SESSION_ID = /^[0-9a-f]{32}$/;

/** The browsers that are signed in with a key of the operator. */
@Controller({ path: 'dashboard/data/browser_sessions', version: VERSION_NEUTRAL })
export class BrowserSessionsController {
  constructor(
    private readonly sessions: BrowserSessionsService,
    private readonly audit: AuditLog,
  ) {}

  @Get()
  async list(@Caller() { operatorId }: Caller, @Req() request: Request): Promise<{ data: BrowserSessionView[] }> {
    return { data: (await this.sessions.list(operatorId, request)).map(sessionView) };
  }

  /** Ends a session at once. */
  @Delete(':id')
  @HttpCode(204)
  async end(@Caller() caller: Caller, @Param('id') id: string): Promise<void> {
    const keyId = SESSION_ID.test(id) ? await this.sessions.endListed(caller.operatorId, id) : undefined;
    if (keyId === undefined) throw new NotFound('There is no such session.');
    await this.audit.record(caller, { action: 'dashboard.signed_out', object: keyId });
  }
}

function sessionView({ id, keyId, createdAt, lastSeenAt, expiresAt, isCurrent }: ListedSession): BrowserSessionView {
  return {
    session_id: id,
    key_id: keyId,
    created_at: createdAt.toISOString(),
    last_seen_at: lastSeenAt.toISOString(),
    expires_at: expiresAt.toISOString(),
    is_current: isCurrent,
  };
}
