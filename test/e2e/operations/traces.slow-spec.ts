/** Traces, as a collector gets them over OTLP: one of a transfer from its request to the delivery of its event, also over a kill. */
import { randomBytes } from 'node:crypto';
import { api, type Api, type Body } from '../../support/api';
import { eventually } from '../../support/eventually';
import { startReceiver, type Receiver } from '../../support/receiver';
import { startService, type Service } from '../../support/service';
import { anAccount, bodyOf, order, type TestAccount } from '../../support/world';

jest.setTimeout(300_000);

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: Record<string, unknown>;
}

let collector: Receiver;
let webhook: Receiver;
let service: Service;
let operator: Api;
let accounts: [TestAccount, TestAccount];
beforeAll(async () => {
  [collector, webhook] = [await startReceiver(), await startReceiver()];
  const endpoint = new URL('/', collector.url).href;
  service = await startService({
    variables: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_BSP_SCHEDULE_DELAY: '50', ALLOW_PRIVATE_URLS: 'true', LEASE_MS: '2000' },
  });
  operator = api(service.baseUrl, service.operatorKey);
  accounts = [await anAccount({ by: operator, usdc: '10' }), await anAccount({ by: operator })];
  bodyOf(await operator.post('/v1/webhooks', { url: webhook.url, events: ['transfer.settled'] }), 201);
});
afterAll(async () => {
  await service.stop();
  for (const receiver of [collector, webhook]) receiver.close();
});

/** All spans that the collector has of a trace. */
function spansOf(traceId: string): Span[] {
  return collector.received
    .filter(({ path }) => path === '/v1/traces')
    .flatMap(({ event }) => event.resourceSpans.flatMap(({ scopeSpans }: Body) => scopeSpans.flatMap(({ spans }: Body) => spans)))
    .filter((span: Span) => span.traceId === traceId)
    .map((span: Body) => ({ ...span, attributes: Object.fromEntries(span.attributes.map(({ key, value }: Body) => [key, value])) }));
}

/** A new trace, and the header that names it and a span of the caller. */
function aTrace(): { traceId: string; callerSpan: string; traceparent: string } {
  const [traceId, callerSpan] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, callerSpan, traceparent: `00-${traceId}-${callerSpan}-01` };
}

/** The spans of a trace up to its delivery, each of which has its parent in it or is the caller's child. */
async function whole(traceId: string, callerSpan: string): Promise<Span[]> {
  return eventually(() => {
    const spans = spansOf(traceId);
    expect(spans.map(({ name }) => name)).toEqual(expect.arrayContaining(['webhook delivery', 'POST /v1/transfers']));
    const known = new Set([callerSpan, ...spans.map(({ spanId }) => spanId)]);
    expect(spans.filter(({ parentSpanId = '' }) => !known.has(parentSpanId))).toEqual([]);
    return spans;
  });
}

test('one trace leads from a request through its order, the database and the chain to the delivery of its event', async () => {
  const { traceId, callerSpan, traceparent } = aTrace();
  const { transfer_id: id } = bodyOf(await operator.post('/v1/transfers', order(...accounts, '1'), { traceparent }), 200);
  const spans = await whole(traceId, callerSpan);
  const names = spans.map(({ name }) => name);
  const steps = ['order', 'order.simulate', 'order.sign', 'order.land', 'order.settle', 'rpc simulateTransaction', 'rpc sendTransaction'];
  expect(names).toEqual(expect.arrayContaining(steps));
  expect(names.filter((name) => name.startsWith('postgresql '))).not.toEqual([]);
  expect(spans.find(({ name }) => name === 'order')?.attributes).toMatchObject({ 'order.id': { stringValue: id } });
  expect(spans.find(({ name }) => name === 'POST /v1/transfers')?.parentSpanId).toBe(callerSpan);
});

test('the trace of an order goes on in the process that finishes it after a kill', async () => {
  const { traceId, traceparent } = aTrace();
  await service.restart({ variables: { CRASH_AT: 'transfer.sent' } });
  const by = api(service.baseUrl, service.operatorKey);
  await by.post('/v1/transfers', order(...accounts, '1'), { traceparent }).catch(() => undefined);
  await eventually(() => expect(service.isRunning).toBe(false));
  await service.start();
  await eventually(() =>
    expect(spansOf(traceId).map(({ name }) => name)).toEqual(expect.arrayContaining(['order.settle', 'webhook delivery'])),
  );
});

test('no trace has an API key', () => {
  expect(JSON.stringify(collector.received)).not.toContain(service.operatorKey);
});
