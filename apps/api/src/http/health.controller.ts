import { Controller, Get, HttpCode, Optional, Res, VERSION_NEUTRAL } from '@nestjs/common';
import type { Response } from 'express';
import { DataSource } from 'typeorm';
import { Chain } from '#chain';
import { Public } from './access';
import { Draining } from '../runtime/draining';

/** Whether the process is up, and whether it can work: for load balancers, outside the versioned API. */
@Public()
@Controller({ version: VERSION_NEUTRAL })
export class HealthController {
  constructor(
    private readonly database: DataSource,
    private readonly draining: Draining,
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
    const isReady = database === 'up' && !this.draining.isOn;
    response.status(isReady ? 200 : 503);
    return { status: isReady ? 'ready' : 'unavailable', database, chain: chain ? 'up' : 'down' };
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
