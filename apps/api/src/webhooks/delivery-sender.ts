import { Injectable } from '@nestjs/common';
import { Clock } from '../runtime/clock';
import { Config } from '../runtime/config';
import { EgressError, EgressClient, type EgressResponse } from '../egress/egress-client';
import { EncryptionService } from '../secrets';
import { Batcher, eventView } from '../events';
import { DeliveryQueue, type AttemptResult, type ClaimedDelivery } from './delivery-queue';
import { serviceSignature, standardSignature } from './webhook-secret';

/** So much of a receiver's answer is kept, in bytes. */
const KEPT_BYTES = 8 * 1024;
/**
 * Whoever pauses or deletes a webhook waits this long. A worker asks whether it is active when the connection stands, and
 * sends at once: what was sent on an older answer has left by then.
 */
export const STOPPED_AFTER_MS = 200;
/** A retry comes at most this part of its delay later, so that many do not come at once. */
const JITTER = 0.1;

/** The webhook was paused or deleted before anything was sent. */
class Stopped extends Error {}

/** Makes one attempt to deliver, from the claim to the result. */
@Injectable()
export class DeliverySender {
  private readonly active = new Batcher<string, Set<string>>((webhookIds) => this.queue.active(webhookIds));

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly encryption: EncryptionService,
    private readonly outside: EgressClient,
    private readonly queue: DeliveryQueue,
  ) {}

  /** What came of it; undefined when nothing was sent, for the webhook is not active any more or the database does not say so in time. */
  async send(delivery: ClaimedDelivery): Promise<AttemptResult | undefined> {
    const at = this.clock.now();
    const began = performance.now();
    let isAsking = false;
    const beforeSending = async (): Promise<void> => {
      isAsking = true;
      const active = await this.active.add(delivery.webhookId);
      isAsking = false;
      if (!active.has(delivery.webhookId)) throw new Stopped();
    };
    const outcome = await this.post(delivery, at, beforeSending);
    // When the time ran out over our own question, nothing was sent, and the receiver has not failed.
    if (!outcome || isAsking) return undefined;
    const result = { delivery_id: delivery.id, at: at.toISOString(), duration_ms: Math.round(performance.now() - began), ...outcome };
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
      const answer = await this.outside.fetch({
        url: delivery.url,
        method: 'POST',
        headers,
        body,
        timeoutMs: this.config.WEBHOOK_TIMEOUT_MS,
        maxBodyBytes: KEPT_BYTES,
        beforeSending,
      });
      return { status_code: answer.status, error: failureOf(answer), response_excerpt: excerptOf(answer) };
    } catch (error) {
      if (error instanceof Stopped) return undefined;
      if (error instanceof EgressError) return { status_code: null, error: error.message, response_excerpt: null };
      throw error;
    }
  }

  private headers(delivery: ClaimedDelivery, body: string, at: Date): Record<string, string> {
    const secrets = [delivery.secretSealed, delivery.previousSecretSealed].flatMap((sealed) =>
      sealed === null ? [] : [this.encryption.unseal('webhook-secret', delivery.webhookId, sealed).toString()],
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

  /** By the schedule, which begins when the attempt has failed. */
  private next({ failures }: ClaimedDelivery, hasFailed: boolean): Pick<AttemptResult, 'status' | 'next_attempt_at'> {
    if (!hasFailed) return { status: 'delivered', next_attempt_at: null };
    const seconds = this.config.WEBHOOK_RETRY_SECONDS[failures];
    if (seconds === undefined) return { status: 'undelivered', next_attempt_at: null };
    const delayMs = Math.ceil(seconds * 1000 * (1 + Math.random() * JITTER));
    return { status: 'pending', next_attempt_at: new Date(this.clock.now().getTime() + delayMs).toISOString() };
  }
}

function failureOf({ status }: EgressResponse): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? `The receiver answered ${status}: redirects are not followed` : `The receiver answered ${status}`;
}

/** As text that PostgreSQL takes: what is not UTF-8, and NUL, is replaced. A character cut in two at the end is dropped. */
function excerptOf({ body }: EgressResponse): string {
  return new TextDecoder().decode(body, { stream: true }).replaceAll('\0', '\ufffd');
}
