import { Controller, Get, VERSION_NEUTRAL } from '@nestjs/common';
import { Caller } from '../http/caller';
import { DashboardDataService, type ApprovalView, type NameView, type OverviewView } from './dashboard-data.service';

/** Data of the dashboard that the API has no route for: totals, pending approvals and names. */
@Controller({ path: 'dashboard/data', version: VERSION_NEUTRAL })
export class DashboardDataController {
  constructor(private readonly data: DashboardDataService) {}

  @Get('overview')
  overview(@Caller() { operatorId }: Caller): Promise<OverviewView> {
    return this.data.overview(operatorId);
  }

  @Get('approvals')
  approvals(@Caller() { operatorId }: Caller): Promise<{ data: ApprovalView[] }> {
    return this.data.approvals(operatorId);
  }

  @Get('names')
  names(@Caller() { operatorId }: Caller): Promise<{ data: NameView[] }> {
    return this.data.names(operatorId);
  }
}
