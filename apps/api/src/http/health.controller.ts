import { Controller, Get, HttpCode, Optional, Res, VERSION_NEUTRAL } from '@nestjs/common';
import type { Response } from 'express';
import { DataSource } from 'typeorm';
import { Chain } from '#chain';
import { Public } from './access';
import { Answers } from './answers';
import { Draining } from '../runtime/draining';

/** Liveness and readiness for load balancers, outside the versioned API. */
@Public()
@Controller({ version: VERSION_NEUTRAL })
export class HealthController {
  constructor(
    private readonly database: DataSource,
    private readonly draining: Draining,
    @Optional() private readonly chain?: Chain,
  ) {}

  /** Reports that the process is up. */
  @Get('health')
  @HttpCode(200)
  health(): { status: 'up' } {
    return { status: 'up' };
  }

  /** Reports whether the service can take requests: 503 while it cannot reach its database, or is stopping. */
  @Get('ready')
  @Answers({ statuses: [200, 503] })
  async ready(@Res({ passthrough: true }) response: Response): Promise<Readiness> {
    const [database, chain] = await Promise.all([this.databaseState(), this.chain?.isReachable() ?? false]);
    // While the chain is unavailable, lists and audits still work, so the service stays in its load balancer.
    const isReady = database === 'up' && !this.draining.isOn;
    response.status(isReady ? 200 : 503);
    return { status: isReady ? 'ready' : 'unavailable', database, chain: chain ? 'up' : 'down' };
  }

  private async databaseState(): Promise<'up' | 'down'> {
    try {
      await this.database.query('SELECT 1');
      return 'up';
    } catch {
      // A load balancer needs only the state. Requests that use the database log the reason.
      return 'down';
    }
  }
}

interface Readiness {
  status: 'ready' | 'unavailable';
  database: 'up' | 'down';
  chain: 'up' | 'down';
}
