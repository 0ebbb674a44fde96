import { Controller, Get, Query } from '@nestjs/common';
import { Caller } from '../../http/caller';
import { type GroupedUsage, LedgerSums, type Usage, type UsageScope } from '../../ledger';
import { formatUsdc } from '../../money/usdc';
import { AccountSelection } from '../account-selection';
import { AccountsService } from '../accounts.service';
import { UsageQuery, type UsageTotalView, type UsageView } from './usage.dto';

/** The most groups that are answered. */
const MAX_GROUPS = 1_000;
/** The most accounts whose usage is added up by label. */
const MAX_ACCOUNTS = 1_000_000;

/** Sums of the accounts' spending. */
@Controller('usage')
export class UsageController {
  constructor(
    private readonly sums: LedgerSums,
    private readonly accounts: AccountsService,
    private readonly selection: AccountSelection,
  ) {}

  /**
   * Spent and declined amounts by group.
   *
   * By `label` a record counts in each label that its account has now, so that the groups may add up to more than `total`.
   */
  @Get()
  async show(
    @Query() query: UsageQuery,
    @Caller() caller: Caller,
  ): Promise<{ data: UsageView[]; total: UsageTotalView; has_more: boolean }> {
    const [since, until] = [query.since, query.until].map((moment) => (moment === undefined ? null : new Date(moment)));
    const { operatorId } = caller;
    const accountIds = await this.accounts.listed(caller, query);
    const scope = { operatorId, accountIds, since: since ?? null, until: until ?? null };
    const { groups, total } =
      query.group_by === 'label' || query.group_by === 'fleet'
        ? await this.byTrait(scope, query.group_by)
        : await this.sums.usage(scope, { groupBy: query.group_by, limit: MAX_GROUPS + 1 });
    const data = groups.slice(0, MAX_GROUPS).map((usage) => ({ group: usage.group, ...totalView(usage) }));
    return { data, total: totalView(total), has_more: groups.length > MAX_GROUPS };
  }

  /** Usage by the label or the fleet that accounts have now, the greatest amount first. */
  private async byTrait(scope: UsageScope, trait: 'label' | 'fleet'): Promise<GroupedUsage> {
    const { groups: accounts, total } = await this.sums.usage(scope, { groupBy: 'account', limit: MAX_ACCOUNTS });
    const { operatorId, accountIds } = scope;
    const traits = await (trait === 'label'
      ? this.selection.labelsOf(operatorId, accountIds)
      : this.selection.fleetsOf(operatorId, accountIds));
    const groups = new Map<string | null, Usage>();
    for (const { group: accountId, settledMicroUsdc, settledCount, rejectedCount } of accounts) {
      for (const group of traits.get(accountId ?? '') ?? [null]) {
        const sum = groups.get(group) ?? { group, settledMicroUsdc: 0n, settledCount: 0, rejectedCount: 0 };
        groups.set(group, {
          group,
          settledMicroUsdc: sum.settledMicroUsdc + settledMicroUsdc,
          settledCount: sum.settledCount + settledCount,
          rejectedCount: sum.rejectedCount + rejectedCount,
        });
      }
    }
    return { groups: [...groups.values()].sort(byAmount), total };
  }
}

function byAmount(one: Usage, other: Usage): number {
  if (one.settledMicroUsdc !== other.settledMicroUsdc) return one.settledMicroUsdc > other.settledMicroUsdc ? -1 : 1;
  return other.rejectedCount - one.rejectedCount || ((one.group ?? '') < (other.group ?? '') ? -1 : 1);
}

function totalView({ settledMicroUsdc, settledCount, rejectedCount }: GroupedUsage['total']): UsageTotalView {
  return { settled_usdc: formatUsdc(settledMicroUsdc), settled_count: settledCount, rejected_count: rejectedCount };
}
