import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Chain } from '#chain';
import { Metrics } from './metrics';
import { noteSpan } from './tracing';

/** Measures the requests to each node of the chain, and notes them in the trace that they are part of. */
@Injectable()
export class ChainMetrics implements OnModuleInit {
  constructor(
    private readonly chain: Chain,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    const note = this.metrics.durations('rpc_request_duration_seconds', 'Requests to nodes of the chain.', ['node', 'method', 'outcome']);
    this.chain.observe(({ ms, ...labels }) => {
      note(labels, ms);
      noteSpan(`rpc ${labels.method}`, ms, { 'rpc.method': labels.method, 'server.address': labels.node, outcome: labels.outcome });
    });
  }
}
