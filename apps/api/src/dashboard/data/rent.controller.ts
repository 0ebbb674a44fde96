import { Controller, Get, VERSION_NEUTRAL } from '@nestjs/common';
import { AccountRent } from '../../accounts';
import { Caller } from '../../http/caller';
import type { RentView } from '../views';

/** The rent of an operator's accounts. */
@Controller({ path: 'dashboard/data/rent', version: VERSION_NEUTRAL })
export class DashboardRentController {
  constructor(private readonly rent: AccountRent) {}

  @Get()
  show(@Caller() { operatorId }: Caller): Promise<RentView> {
    return this.rent.of(operatorId);
  }
}
