import { Body, Controller, Delete, Get, HttpCode, Param, Put, Query } from '@nestjs/common';
import { Caller } from '../http/caller';
import type { Page } from '../lists/pages';
import { Providers } from './providers';
import { ListProvidersQuery, type ProviderView, PutProviderDto } from './providers.dto';

@Controller('providers')
export class ProvidersController {
  constructor(private readonly providers: Providers) {}

  /**
   * Replaces what is known of a provider, by at least one member.
   *
   * Payments at this host go to `payee`, for `categories`, or are declined. `max_seconds` and `max_bytes` say how long and how much of its
   * answers is read, and `wallet_programs` whether its facilitator takes transfers of this service's program.
   */
  @Put(':host')
  @HttpCode(200)
  put(@Param('host') host: string, @Body() provider: PutProviderDto, @Caller() caller: Caller): Promise<ProviderView> {
    return this.providers.put(caller, host, provider);
  }

  /** Lists the pinned providers. */
  @Get()
  list(@Query() query: ListProvidersQuery, @Caller() caller: Caller): Promise<Page<ProviderView>> {
    return this.providers.list(caller.operatorId, query);
  }

  /** Returns a pinned provider. */
  @Get(':host')
  show(@Param('host') host: string, @Caller() caller: Caller): Promise<ProviderView> {
    return this.providers.show(caller.operatorId, host);
  }

  /** Unpins a provider. */
  @Delete(':host')
  @HttpCode(204)
  remove(@Param('host') host: string, @Caller() caller: Caller): Promise<void> {
    return this.providers.remove(caller, host);
  }
}
