import { Controller, Get, HttpCode, Optional, Res, VERSION_NEUTRAL } from '@nestjs/common';
import type { Response } from 'express';
import { DataSource } from 'typeorm';
import { Chain } from '#chain';
import { Public } from '../http/access';
import { Answers } from '../http/answers';
import { FeePayerBalance } from '../runtime/observability/fee-payer-balance';
import { Draining } from '../runtime/process/draining';

/** Liveness and readiness for load balancers, outside the versioned API. */
@Public()
@Controller({ version: VERSION_NEUTRAL })
export class HealthController {
  constructor(
    private readonly database: DataSource,
    private readonly draining: Draining,
    @Optional() private readonly chain?: Chain,
    @Optional() private readonly feePayer?: FeePayerBalance,
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
    const [database, chain, isEmpty] = await Promise.all([
      this.databaseState(),
      this.chain?.isReachable() ?? false,
      this.feePayer?.isBelowReserve() ?? false,
    ]);
    // While the chain is unavailable, or the fee payer empty, lists and pauses still work, so the service stays in its load balancer.
    const isReady = database === 'up' && !this.draining.isOn;
    response.status(isReady ? 200 : 503);
    return {
      status: isReady ? 'ready' : 'unavailable',
      database,
      chain: chain ? 'up' : 'down',
      fee_payer: !chain ? 'unknown' : isEmpty ? 'empty' : 'funded',
    };
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
  /** `empty`: it holds less than FEE_PAYER_RESERVE, and only pauses, approvals, denials, rotations and endings are sent. `unknown` while the chain is down. */
  fee_payer: 'funded' | 'empty' | 'unknown';
}
