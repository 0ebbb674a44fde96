import { Controller, Get, Header, VERSION_NEUTRAL } from '@nestjs/common';
import { Metrics } from '../runtime/metrics';
import { Public } from './access';

/** For Prometheus, outside the versioned API. It tells nothing of one operator's. */
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
