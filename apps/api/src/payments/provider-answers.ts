import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Config } from '../runtime/config';
import { EncryptionService } from '../secrets';
import type { Answer, Payment, SealedAnswer } from './payment.entity';
import { PaymentStore } from './payment.store';

/** For how long the bytes that an account keeps are counted in memory before the database is asked again. */
const COUNTED_MS = 60_000;
/** The accounts that are counted at once. */
const MAX_COUNTED = 10_000;
const LENGTH_BYTES = 4;

/** Seals the answers of providers for the database, within what an account may keep, and opens them. */
@Injectable()
export class ProviderAnswers {
  private readonly kept: LRUCache<string, { bytes: number }>;

  constructor(
    private readonly config: Config,
    private readonly encryption: EncryptionService,
    store: PaymentStore,
  ) {
    this.kept = new LRUCache({
      max: MAX_COUNTED,
      ttl: COUNTED_MS,
      fetchMethod: async (accountId: string) => ({ bytes: await store.keptBytes(accountId) }),
    });
  }

  /** Cuts and seals the answer to a payment. `maxBytes`: how much of the body is kept at most. */
  async seal({ id, accountId }: Payment, { status, headers, body, truncated }: Answer, maxBytes = Infinity): Promise<SealedAnswer> {
    const account = await this.kept.forceFetch(accountId);
    const room = Math.max(0, this.config.KEPT_ANSWER_BYTES_PER_ACCOUNT - account.bytes);
    const kept = body.subarray(0, Math.min(body.length, maxBytes, room));
    account.bytes += kept.length;
    const head = Buffer.from(JSON.stringify(headers));
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(head.length);
    const sealed = this.encryption.seal('payment-answer', id, Buffer.concat([length, head, kept]));
    return { status, truncated: truncated || kept.length < body.length, sealed, bytes: kept.length };
  }

  /** The answer to a payment: the whole one in the process that got it, else what is kept of it; null where nothing is. */
  open({ id, answer, responseStatus: status, responseSealed, responseTruncated: truncated }: Payment): Answer | null {
    if (answer) return answer;
    if (status === null || responseSealed === null) return null;
    const content = this.encryption.unseal('payment-answer', id, responseSealed);
    const headEnd = LENGTH_BYTES + content.readUInt32BE(0);
    const headers = JSON.parse(content.subarray(LENGTH_BYTES, headEnd).toString()) as Record<string, string>;
    return { status, headers, body: content.subarray(headEnd), truncated };
  }
}
