/** Traces by OpenTelemetry: spans of requests, orders, statements, calls to nodes and deliveries. Without `startTracing` they cost next to nothing. */
import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { onStatement } from '#database';
import type { Config } from '../config';
import { messageOf } from './message-of';
import type { Shutdown } from '../process/shutdown';

const tracer = trace.getTracer('agent-payment-service');

/** Sends traces to `OTEL_EXPORTER_OTLP_ENDPOINT`, as the other standard variables `OTEL_…` say; does nothing without it. */
export async function startTracing({ OTEL_EXPORTER_OTLP_ENDPOINT }: Config, shutdown: Shutdown): Promise<void> {
  if (OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return;
  const [{ BasicTracerProvider, BatchSpanProcessor }, { OTLPTraceExporter }, { AsyncLocalStorageContextManager }, core, resources] =
    await Promise.all([
      import('@opentelemetry/sdk-trace-base'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/core'),
      import('@opentelemetry/resources'),
    ]);
  const provider = new BasicTracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': process.env.OTEL_SERVICE_NAME ?? 'agent-payment-service' }),
    spanProcessors: [
      new BatchSpanProcessor(new OTLPTraceExporter({ url: `${OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, '')}/v1/traces` })),
    ],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new core.W3CTraceContextPropagator());
  onStatement((text, run) => inSpan(`postgresql ${nameOf(text)}`, { 'db.system.name': 'postgresql', 'db.query.text': text }, run));
  shutdown.add('the traces', () => provider.shutdown());
}

/**
 * Does a part of the work that runs now as a span of its trace. Does it without a span outside of a trace: what a job does on its own account is
 * none.
 */
export function inSpan<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  return trace.getActiveSpan() ? run(name, { attributes, kind: SpanKind.CLIENT }, context.active(), work) : work();
}

/** Does work as a part of the trace that `traceparent` names, in this process or another one; without a span if it is null. */
export function inTraceOf<T>(traceparent: string | null, name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  if (trace.getActiveSpan()) return run(name, { attributes, kind: SpanKind.INTERNAL }, context.active(), work);
  if (traceparent === null) return work();
  return run(name, { attributes, kind: SpanKind.CONSUMER }, contextOf({ traceparent }), work);
}

/** Begins the span of a request, in the trace that its headers name, if any. Returns it and runs `next` in it. */
export function inRequestSpan(name: string, headers: Record<string, unknown>, next: () => void): Span {
  const parent = contextOf(headers);
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER }, parent);
  context.with(trace.setSpan(parent, span), next);
  return span;
}

/** Notes something that has just ended after so many milliseconds as a span of the trace that runs now. */
export function noteSpan(name: string, ms: number, attributes: Attributes): void {
  if (!trace.getActiveSpan()) return;
  const now = Date.now();
  tracer.startSpan(name, { kind: SpanKind.CLIENT, startTime: now - ms, attributes }).end(now);
}

/** The span that runs now, as the header `traceparent` of W3C Trace Context names it; null outside of a trace. */
export function currentTraceparent(): string | null {
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent ?? null;
}

function contextOf(headers: Record<string, unknown>): Context {
  return propagation.extract(ROOT_CONTEXT, headers);
}

function run<T>(name: string, options: { attributes: Attributes; kind: SpanKind }, parent: Context, work: () => Promise<T>): Promise<T> {
  return tracer.startActiveSpan(name, options, parent, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: messageOf(error) });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** The first word of a statement, and the table that it is about, as far as a short look tells. */
function nameOf(text: string): string {
  const [, verb = 'statement'] = /^\s*(\w+)/.exec(text) ?? [];
  const [, table] = /\b(?:FROM|INTO|UPDATE)\s+"?(\w+)/i.exec(text) ?? [];
  return table === undefined ? verb : `${verb} ${table}`;
}
