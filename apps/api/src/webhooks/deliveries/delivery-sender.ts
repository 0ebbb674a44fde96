import { Injectable } from '@nestjs/common';
import { Batcher } from '#batcher';
import { Clock } from '../../runtime/clock';
import { Config } from '../../runtime/config';
import { Metrics } from '../../runtime/observability/metrics';
import { EgressClient, type EgressResponse } from '../../egress/egress-client';
import { EgressError } from '../../egress/egress.errors';
import { eventView } from '../../events';
import { untilAvailable } from '../../persistence/until-available';
import { DELIVERY_TRANSITIONS } from './delivery.states';
import { DeliveryQueue, type AttemptResult, type ClaimedDelivery } from './delivery-queue';
import { serviceSignature, standardSignature } from '../endpoints/webhook-secret';
import { WebhookSeals } from '../endpoints/webhook-seals';

/** How much of a receiver's response is stored, in bytes. */
const MAX_EXCERPT_BYTES = 8 * 1024;
/**
 * How long pausing or deleting a webhook waits. A worker reads whether the webhook is active right before it sends, so after this time
 * nothing is sent that was read before.
 */
export const STOPPED_AFTER_MS = 200;
/** A retry is delayed by at most this fraction of its delay, so that many retries spread out. */
const JITTER = 0.1;

/** The webhook was paused or deleted before anything was sent. */
class Stopped extends Error {}

/** Makes one attempt of a claimed delivery. */
@Injectable()
export class DeliverySender {
  /** Whether each webhook is active. */
  private readonly note: (labels: { outcome: string }, ms: number) => void;
  private readonly active = new Batcher<string, boolean>(async (webhookIds) => {
    const active = await untilAvailable(() => this.queue.active(webhookIds));
    return webhookIds.map((id) => active.has(id));
  });

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly seals: WebhookSeals,
    private readonly egress: EgressClient,
    private readonly queue: DeliveryQueue,
    metrics: Metrics,
  ) {
    this.note = metrics.durations('webhook_attempt_duration_seconds', 'Attempts to deliver an event.', ['outcome']);
  }

  /**
   * Sends a delivery. Returns its result; undefined if nothing was sent, because the webhook is not active or the database did not
   * answer in time.
   */
  async send(delivery: ClaimedDelivery): Promise<AttemptResult | undefined> {
    const at = this.clock.now();
    const began = performance.now();
    let isReading = false;
    const beforeSending = async (): Promise<void> => {
      isReading = true;
      const isActive = await this.active.add(delivery.webhookId);
      isReading = false;
      if (!isActive) throw new Stopped();
    };
    const outcome = await this.post(delivery, at, beforeSending);
    // The time ran out while the database was read: nothing was sent, and the receiver has not failed.
    if (!outcome || isReading) return undefined;
    const tookMs = performance.now() - began;
    this.note({ outcome: outcome.error === null ? 'delivered' : 'failed' }, tookMs);
    const result = { delivery_id: delivery.id, at: at.toISOString(), duration_ms: Math.round(tookMs), ...outcome };
    return { ...result, ...this.next(delivery, outcome.error !== null) };
  }

  private async post(
    delivery: ClaimedDelivery,
    at: Date,
    beforeSending: () => Promise<void>,
  ): Promise<Pick<AttemptResult, 'status_code' | 'error' | 'response_excerpt'> | undefined> {
    const body = JSON.stringify(eventView(delivery.event));
    const headers = this.headers(delivery, body, at);
    try {
      const response = await this.egress.fetch({
        url: this.seals.urlOf({ id: delivery.webhookId, urlSealed: delivery.urlSealed }),
        method: 'POST',
        headers,
        body,
        timeoutMs: this.config.WEBHOOK_TIMEOUT_MS,
        maxBodyBytes: () => MAX_EXCERPT_BYTES,
        beforeSending,
      });
      return { status_code: response.status, error: failureOf(response), response_excerpt: excerptOf(response) };
    } catch (error) {
      if (error instanceof Stopped) return undefined;
      if (error instanceof EgressError) return { status_code: null, error: error.message, response_excerpt: null };
      throw error;
    }
  }

  private headers(delivery: ClaimedDelivery, body: string, at: Date): Record<string, string> {
    const secrets = [delivery.secretSealed, delivery.previousSecretSealed].flatMap((sealed) =>
      sealed === null ? [] : [this.seals.secretOf(delivery.webhookId, sealed)],
    );
    const [secret = '', previous] = secrets;
    const { id } = delivery.event;
    const seconds = Math.floor(at.getTime() / 1000);
    return {
      'Content-Type': 'application/json',
      'User-Agent': 'agent-payment-service',
      'X-Service-Signature': serviceSignature(body, secret),
      ...(previous !== undefined && { 'X-Service-Signature-Previous': serviceSignature(body, previous) }),
      'X-Service-Event-Id': id,
      'X-Service-Delivery-Id': delivery.id,
      'X-Service-Attempt': String(delivery.attempt),
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': secrets.map((each) => standardSignature({ id, seconds, body, secret: each })).join(' '),
    };
  }

  /** The state of the delivery after an attempt: the delay before a retry begins when the attempt has failed. */
  private next({ failures }: ClaimedDelivery, hasFailed: boolean): Pick<AttemptResult, 'status' | 'next_attempt_at'> {
    if (!hasFailed) return { status: DELIVERY_TRANSITIONS.succeed.to, next_attempt_at: null };
    const seconds = this.config.WEBHOOK_RETRY_SECONDS[failures];
    if (seconds === undefined) return { status: DELIVERY_TRANSITIONS.giveUp.to, next_attempt_at: null };
    const delayMs = Math.ceil(seconds * 1000 * (1 + Math.random() * JITTER));
    return { status: DELIVERY_TRANSITIONS.retry.to, next_attempt_at: new Date(this.clock.now().getTime() + delayMs).toISOString() };
  }
}

function failureOf({ status }: EgressResponse): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? `The receiver answered ${status}: redirects are not followed` : `The receiver answered ${status}`;
}

/** A body as text that PostgreSQL can store: replaces invalid UTF-8 and NUL, and drops a character that is cut off at the end. */
function excerptOf({ body }: EgressResponse): string {
  return new TextDecoder().decode(body, { stream: true }).replaceAll('\0', '\ufffd');
}
