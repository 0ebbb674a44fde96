import { Controller, Get, HttpCode, Optional, Res, VERSION_NEUTRAL } from '@nestjs/common';
import type { Response } from 'express';
import { DataSource } from 'typeorm';
import { Chain } from '#chain';
import { Public } from './access';

/** Whether the process is up, and whether it can work: for load balancers, outside the versioned API. */
@Public()
@Controller({ version: VERSION_NEUTRAL })
export class HealthController {
  constructor(
    private readonly database: DataSource,
    @Optional() private readonly chain?: Chain,
  ) {}

  @Get('health')
  @HttpCode(200)
  health(): { status: 'up' } {
    return { status: 'up' };
  }

  @Get('ready')
  async ready(@Res({ passthrough: true }) response: Response): Promise<Readiness> {
    const [database, chain] = await Promise.all([this.databaseState(), this.chain?.isReachable() ?? false]);
    // While the chain is away, lists and audits still work: taking the service out of the balancer would help nobody.
    response.status(database === 'up' ? 200 : 503);
    return { status: database === 'up' ? 'ready' : 'unavailable', database, chain: chain ? 'up' : 'down' };
  }

  private async databaseState(): Promise<'up' | 'down'> {
    try {
      await this.database.query('SELECT 1');
      return 'up';
    } catch {
      // Why is for the log of those who use it; a balancer needs only the fact.
      return 'down';
    }
  }
}

interface Readiness {
  status: 'ready' | 'unavailable';
  database: 'up' | 'down';
  chain: 'up' | 'down';
}
