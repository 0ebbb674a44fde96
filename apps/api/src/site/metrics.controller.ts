import { Controller, Get, Header, VERSION_NEUTRAL } from '@nestjs/common';
import { Config } from '../runtime/config';
import { Metrics } from '../runtime/observability/metrics';
import { METRICS_TYPE } from '../runtime/observability/metrics-server';
import { Public } from '../http/access';
import { NotFound } from '../http/domain.errors';

/** Metrics for Prometheus, outside the versioned API, unless they have a port of their own. They reveal nothing about a single operator. */
@Public()
@Controller({ version: VERSION_NEUTRAL })
export class MetricsController {
  constructor(
    private readonly metrics: Metrics,
    private readonly config: Config,
  ) {}

  @Get('metrics')
  @Header('Content-Type', METRICS_TYPE)
  show(): Promise<string> {
    if (this.config.METRICS_PORT !== undefined) throw new NotFound('The metrics are at METRICS_PORT.');
    return this.metrics.text();
  }
}
