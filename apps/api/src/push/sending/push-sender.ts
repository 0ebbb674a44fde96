import { createECDH } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { encrypt } from 'http_ece';
import { EgressClient } from '../../egress/egress-client';
import { EgressError } from '../../egress/egress.errors';
import { Clock } from '../../runtime/clock';
import { Config } from '../../runtime/config';
import type { Notification } from './notification';
import { PushKeysService } from '../push-keys.service';
import { vapidAuthorization } from './vapid';

/** How long a push service may take to answer. */
const TIMEOUT_MS = 10_000;
/** A push service's answer is an error text at most. */
const MAX_ANSWER_BYTES = 1_024;
/** Push services keep a message for at most four weeks. */
const MAX_TTL_SECONDS = 28 * 24 * 60 * 60;

/** A browser, as its subscription names it. */
export interface Browser {
  endpoint: string;
  p256dh: string;
  auth: string;
}

/**
 * The answer of a push service: it takes the message; the subscription has ended; it refuses such messages; or it did not take it now,
 * with the number of seconds after which it wants to be asked again.
 */
export type Answer =
  | { is: 'taken' }
  | { is: 'ended' }
  | { is: 'refused'; why: string }
  | { is: 'failed'; why: string; retryAfterSeconds: number };

/** Sends notifications by the push services of browsers (RFC 8030), which cannot read them (RFC 8291). */
@Injectable()
export class PushSender {
  constructor(
    private readonly keys: PushKeysService,
    private readonly egress: EgressClient,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  async send({ endpoint, p256dh, auth }: Browser, notification: Notification): Promise<Answer> {
    const now = this.clock.now();
    const secondsLeft = Math.floor((new Date(notification.expires_at).getTime() - now.getTime()) / 1000);
    const privateKey = createECDH('prime256v1');
    privateKey.generateKeys();
    const body = encrypt(Buffer.from(JSON.stringify(notification)), { version: 'aes128gcm', privateKey, dh: p256dh, authSecret: auth });
    const authorization = vapidAuthorization(await this.keys.key(), { endpoint, contact: this.config.PUSH_CONTACT, now });
    try {
      const { status, headers } = await this.egress.fetch({
        url: endpoint,
        method: 'POST',
        headers: {
          Authorization: authorization,
          'Content-Type': 'application/octet-stream',
          'Content-Encoding': 'aes128gcm',
          TTL: String(Math.min(Math.max(secondsLeft, 0), MAX_TTL_SECONDS)),
          Urgency: 'high',
        },
        body,
        timeoutMs: TIMEOUT_MS,
        maxBodyBytes: () => MAX_ANSWER_BYTES,
      });
      return answerOf(status, headers['retry-after']);
    } catch (error) {
      if (error instanceof EgressError) return { is: 'failed', why: error.message, retryAfterSeconds: 0 };
      throw error;
    }
  }
}

/** RFC 8030, section 5 and 7.3; 404 and 410 are what push services answer for a subscription that has ended. */
function answerOf(status: number, retryAfter: string | string[] | undefined): Answer {
  if (status >= 200 && status < 300) return { is: 'taken' };
  if (status === 404 || status === 410) return { is: 'ended' };
  const why = `The push service answered ${status}`;
  if (status === 429 || status >= 500) return { is: 'failed', why, retryAfterSeconds: Number(retryAfter) || 0 };
  return { is: 'refused', why };
}
