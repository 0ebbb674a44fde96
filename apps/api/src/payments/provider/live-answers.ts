import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { EgressError } from '../../egress/egress.errors';
import { Config } from '../../runtime/config';
import { Failpoints } from '../../runtime/failpoints';
import { messageOf } from '../../runtime/observability/message-of';
import type { BodyDigest } from '../evidence/evidence-seals';
import type { LiveBody, Payment } from '../payment.entity';
import type { PaymentStatus } from '../payment.states';
import { KeptAnswers } from './kept-answers';
import { ProviderAnswers } from './provider-answers';

/** How much is kept of a body that is passed on as it comes. */
const KEPT_BYTES = 1_048_576;

/** An answer that is passed on as it comes. */
export interface LiveAnswer extends LiveBody {
  paymentId: string;
  paymentStatus: PaymentStatus;
  status: number;
  headers: Record<string, string>;
}

/** Passes the bodies of providers' answers on as they come, and keeps their beginnings. */
@Injectable()
export class LiveAnswers {
  private readonly logger = new Logger('Payments');

  constructor(
    private readonly config: Config,
    private readonly answers: ProviderAnswers,
    private readonly kept: KeptAnswers,
    private readonly failpoints: Failpoints,
  ) {}

  /**
   * The answer of a payment whose body is unread; undefined if it was read. However the body ends, its beginning is stored with the
   * payment, and `over` is called.
   */
  of(payment: Payment, over: () => void): LiveAnswer | undefined {
    const { id: paymentId, status: paymentStatus, answer } = payment;
    if (!answer?.live) return undefined;
    const { status, headers, live } = answer;
    const close = (): void => {
      live.close();
      over();
    };
    return { paymentId, paymentStatus, status, headers, body: this.chunks(payment, live, close), close };
  }

  private async *chunks(payment: Payment, live: LiveBody, close: () => void): AsyncGenerator<Buffer> {
    const maxKept = payment.status === 'free' ? this.config.FREE_ANSWER_BYTES : KEPT_BYTES;
    const kept: Buffer[] = [];
    const digest = createHash('sha256');
    let room = maxKept;
    let isWhole = false;
    try {
      for await (const chunk of live.body) {
        digest.update(chunk);
        if (room > 0) kept.push(Buffer.from(chunk.subarray(0, room)));
        room -= chunk.length;
        yield chunk;
        this.failpoints.pass('payment.streamed');
      }
      isWhole = true;
    } catch (error) {
      if (error instanceof EgressError) this.logger.warn(`The answer to ${payment.id} ended early: ${error.message}`);
      throw error;
    } finally {
      close();
      const whole = { sha256: digest.digest('hex'), isCut: !isWhole };
      await this.keep(payment, Buffer.concat(kept), { digest: whole, truncated: !isWhole || room < 0 });
    }
  }

  /** The payment is what it is without the kept part. */
  private async keep(payment: Payment, body: Buffer, { digest, truncated }: { digest: BodyDigest; truncated: boolean }): Promise<void> {
    if (!payment.answer) return;
    try {
      const { status, headers } = payment.answer;
      await this.kept.keepBody(payment, await this.answers.seal(payment, { status, headers, body, truncated }, { digest }));
    } catch (error) {
      this.logger.warn(`The answer to ${payment.id} was not kept: ${messageOf(error)}`);
    }
  }
}
