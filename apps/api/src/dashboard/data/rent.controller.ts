import { Controller, Get, VERSION_NEUTRAL } from '@nestjs/common';
import { AccountRent, type AccountRentView } from '../../accounts';
import { Caller } from '../../http/caller';

/** The rent of an operator's accounts. */
@Controller({ path: 'dashboard/data/rent', version: VERSION_NEUTRAL })
export class DashboardRentController {
  constructor(private readonly rent: AccountRent) {}

  @Get()
  show(@Caller() { operatorId }: Caller): Promise<AccountRentView> {
    return this.rent.of(operatorId);
  }
}
