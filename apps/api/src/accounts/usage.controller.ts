import { Controller, Get, Query } from '@nestjs/common';
import { Caller } from '../http/caller';
import { LedgerSums } from '../ledger';
import { formatUsdc } from '../money/usdc';
import { UsageQuery, type UsageView } from './usage.dto';

/** The most groups that are answered. */
const MAX_GROUPS = 1_000;

/** What the accounts spent. */
@Controller('usage')
export class UsageController {
  constructor(private readonly sums: LedgerSums) {}

  /** Spent and declined amounts by group. */
  @Get()
  async show(@Query() query: UsageQuery, @Caller() { operatorId }: Caller): Promise<{ data: UsageView[]; has_more: boolean }> {
    const [since, until] = [query.since, query.until].map((moment) => (moment === undefined ? null : new Date(moment)));
    const usage = await this.sums.usage(
      { operatorId, accountId: query.account_id ?? null, since: since ?? null, until: until ?? null },
      { groupBy: query.group_by, limit: MAX_GROUPS + 1 },
    );
    const data = usage.slice(0, MAX_GROUPS).map(({ group, settledMicroUsdc, settledCount, rejectedCount }) => ({
      group,
      settled_usdc: formatUsdc(settledMicroUsdc),
      settled_count: settledCount,
      rejected_count: rejectedCount,
    }));
    return { data, has_more: usage.length > MAX_GROUPS };
  }
}
