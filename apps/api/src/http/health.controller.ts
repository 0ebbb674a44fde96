import { Controller, Get, HttpCode, Res, VERSION_NEUTRAL } from '@nestjs/common';
import type { Response } from 'express';
import { DataSource } from 'typeorm';
import { Public } from './access';

/** Whether the process is up, and whether it can work: for load balancers, outside the versioned API. */
@Public()
@Controller({ version: VERSION_NEUTRAL })
export class HealthController {
  constructor(private readonly database: DataSource) {}

  @Get('health')
  @HttpCode(200)
  health(): { status: 'up' } {
    return { status: 'up' };
  }

  @Get('ready')
  async ready(@Res({ passthrough: true }) response: Response): Promise<Readiness> {
    const database = await this.databaseState();
    response.status(database === 'up' ? 200 : 503);
    return { status: database === 'up' ? 'ready' : 'unavailable', database };
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
}
