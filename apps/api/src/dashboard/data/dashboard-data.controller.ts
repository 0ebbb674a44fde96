import { Controller, Get, Param, Query, VERSION_NEUTRAL } from '@nestjs/common';
import { IsIn } from 'class-validator';
import { Caller } from '../../http/caller';
import { AuditLog, type AuditEntryView, ListAuditLogQuery, type AuditAction } from '../../audit';
import { IsOmittable, IsText } from '../../http/validation/checks';
import type { Page } from '../../lists/pages';
import type { ApprovalView, KeyNameView, ListedAccountsView, OverviewView, SpanView, WebhookHealthView } from '../views';
import { DashboardAccountsService } from './dashboard-accounts.service';
import { DashboardDataService } from './dashboard-data.service';

const MAX_ID_CHARACTERS = 64;

class ListedAccountsQuery {
  /** The id of the last account of the page before. */
  @IsOmittable()
  @IsText({ min: 1, max: MAX_ID_CHARACTERS })
  before?: string;
}

class SpansQuery {
  @IsIn(['24h', '7d', '30d'])
  last!: '24h' | '7d' | '30d';
}

/** The operator's decisions on orders that wait for approval. */
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

  /** The settled and declined amounts of the last 24 hours, or of the last 7 or 30 days. */
  @Get('spans')
  spans(@Query() { last }: SpansQuery, @Caller() { operatorId }: Caller): Promise<{ data: SpanView[] }> {
    return last === '24h' ? this.data.spans(operatorId, 'hour', 24) : this.data.spans(operatorId, 'day', last === '7d' ? 7 : 30);
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

  /** A page of the accounts, the newest first. */
  @Get('accounts')
  accounts(@Query() { before }: ListedAccountsQuery, @Caller() { operatorId }: Caller): Promise<ListedAccountsView> {
    return this.listed.list(operatorId, { before: before ?? null });
  }

  /** One account as the list shows it; none where there is no such account. */
  @Get('accounts/:id')
  account(@Param('id') id: string, @Caller() { operatorId }: Caller): Promise<ListedAccountsView> {
    return this.listed.list(operatorId, { id });
  }

  /** How the last deliveries of each webhook went. */
  @Get('webhooks')
  webhooks(@Caller() { operatorId }: Caller): Promise<{ data: WebhookHealthView[] }> {
    return this.data.webhooks(operatorId);
  }

  @Get('key_names')
  keyNames(@Caller() { operatorId }: Caller): Promise<{ data: KeyNameView[] }> {
    return this.data.keyNames(operatorId);
  }
}
