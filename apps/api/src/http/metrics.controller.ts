import { Controller, Get, Header, VERSION_NEUTRAL } from '@nestjs/common';
import { Metrics } from '../runtime/metrics';
import { Public } from './access';

/** Metrics for Prometheus, outside the versioned API. They reveal nothing about a single operator. */
@Public()
@Controller({ version: VERSION_NEUTRAL })
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get('metrics')
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  show(): Promise<string> {
    return this.metrics.text();
  }
}
