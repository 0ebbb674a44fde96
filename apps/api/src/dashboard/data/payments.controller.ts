import { Controller, Get, Query, VERSION_NEUTRAL } from '@nestjs/common';
import { Caller } from '../../http/caller';
import { IsOmittable, IsText } from '../../http/validation/checks';
import type { Page } from '../../lists/pages';
import { ListPaymentsQuery, PaymentListsService, type PaymentView } from '../../payments';
import { CATEGORY } from '../../policy';

const MAX_REASON = 64;

/** The query of the API's list of payments, with filters that the dashboard alone has. */
export class FilteredPaymentsQuery extends ListPaymentsQuery {
  @IsOmittable()
  @IsText(CATEGORY)
  category?: string;

  @IsOmittable()
  @IsText({ min: 1, max: MAX_REASON })
  rejection_reason?: string;
}

/** The list of payments of the dashboard. */
@Controller({ path: 'dashboard/data/payments', version: VERSION_NEUTRAL })
export class DashboardPaymentsController {
  constructor(private readonly payments: PaymentListsService) {}

  @Get()
  list(@Query() query: FilteredPaymentsQuery, @Caller() caller: Caller): Promise<Page<PaymentView>> {
    return this.payments.list(caller, query);
  }
}
