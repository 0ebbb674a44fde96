import { Body, Controller, Get, HttpCode, Put, Query } from '@nestjs/common';
import { AgentAllowed } from '../http/access';
import { Answers } from '../http/answers';
import { Caller } from '../http/caller';
import type { Page } from '../lists/pages';
import { CataloguesService } from './catalogues.service';
import { type CataloguesView, ListServicesQuery, PutCataloguesDto, type ServiceView } from './services.dto';
import { ServicesService } from './services.service';

/** Services that agents can pay, and the catalogues in which they are found. */
@Controller()
export class ServicesController {
  constructor(
    private readonly services: ServicesService,
    private readonly catalogues: CataloguesService,
  ) {}

  /**
   * Finds services that an account could pay now, cheapest first.
   *
   * They stand in the catalogues that the operator allows. Each is checked as the dry run of a payment is, but for the call of the service: its price
   * may have changed since.
   */
  @Get('services')
  @AgentAllowed()
  @Answers({ errors: ['not_found', 'chain_unavailable'] })
  list(@Query() query: ListServicesQuery, @Caller() caller: Caller): Promise<Page<ServiceView>> {
    return this.services.list(caller, query);
  }

  /** Returns the catalogues in which the operator's agents find services. */
  @Get('operators/catalogues')
  showCatalogues(@Caller() caller: Caller): Promise<CataloguesView> {
    return this.catalogues.show(caller.operatorId);
  }

  /**
   * Sets the catalogues in which the operator's agents find services.
   *
   * A catalogue is the URL of an x402 facilitator's discovery resources, or of a JSON list. One that cannot be read is left out.
   */
  @Put('operators/catalogues')
  @HttpCode(200)
  setCatalogues(@Body() wanted: PutCataloguesDto, @Caller() caller: Caller): Promise<CataloguesView> {
    return this.catalogues.put(caller, wanted);
  }
}
