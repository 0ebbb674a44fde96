import { Controller, Get, Param, Query, VERSION_NEUTRAL } from '@nestjs/common';
import { Caller } from '../http/caller';
import { AuditLog, type AuditEntryView, ListAuditLogQuery, type AuditAction } from '../audit';
import type { Page } from '../http/pages';
import { DashboardAccountsService, type ListedAccountsView } from './dashboard-accounts.service';
import { DashboardDataService, type ApprovalView, type KeyNameView, type OverviewView } from './dashboard-data.service';

/** What an operator decides about orders that wait for approval. */
const DECISIONS: AuditAction[] = (['transfer', 'session', 'top_up', 'purse'] as const).flatMap((kind) => [
  `${kind}.approved` as const,
  `${kind}.denied` as const,
]);

/** Data of the dashboard that the API has no route for: totals, accounts, pending approvals, decisions and names. */
@Controller({ path: 'dashboard/data', version: VERSION_NEUTRAL })
export class DashboardDataController {
  constructor(
    private readonly data: DashboardDataService,
    private readonly listed: DashboardAccountsService,
    private readonly audit: AuditLog,
  ) {}

  @Get('overview')
  overview(@Caller() { operatorId }: Caller): Promise<OverviewView> {
    return this.data.overview(operatorId);
  }

  @Get('approvals')
  approvals(@Caller() { operatorId }: Caller): Promise<{ data: ApprovalView[] }> {
    return this.data.approvals(operatorId);
  }

  /** Who approved and denied what, newest first. */
  @Get('decisions')
  decisions(@Query() query: ListAuditLogQuery, @Caller() { operatorId }: Caller): Promise<Page<AuditEntryView>> {
    return this.audit.list(operatorId, { ...query, actions: DECISIONS });
  }

  /** The newest accounts. */
  @Get('accounts')
  accounts(@Caller() { operatorId }: Caller): Promise<ListedAccountsView> {
    return this.listed.list(operatorId, null);
  }

  /** One account as the list shows it; none where there is no such account. */
  @Get('accounts/:id')
  account(@Param('id') id: string, @Caller() { operatorId }: Caller): Promise<ListedAccountsView> {
    return this.listed.list(operatorId, id);
  }

  @Get('key_names')
  keyNames(@Caller() { operatorId }: Caller): Promise<{ data: KeyNameView[] }> {
    return this.data.keyNames(operatorId);
  }
}
