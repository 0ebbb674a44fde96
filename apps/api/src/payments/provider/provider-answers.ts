import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Config } from '../../runtime/config';
import { EncryptionService } from '../../secrets';
import { type BodyDigest, EvidenceSeals } from '../evidence/evidence-seals';
import { sha256 } from '../evidence/redacted-headers';
import type { Answer, LiveBody, Payment, SealedAnswer } from '../payment.entity';
import { KeptAnswers } from './kept-answers';

/** For how long the bytes that an account keeps are counted in memory before the database is asked again. */
const COUNTED_MS = 60_000;
/** The accounts that are counted at once. */
const MAX_COUNTED = 10_000;
const LENGTH_BYTES = 4;

interface SealOptions {
  /** How much of the body is kept at most. */
  maxBytes?: number;
  /** Of the whole body, if the answer has a part of it; null while it is passed on. */
  digest?: BodyDigest | null;
}

/** Seals the answers of providers for the database, within what an account may keep, and opens them. */
@Injectable()
export class ProviderAnswers {
  private readonly kept: LRUCache<string, { bytes: number }>;

  constructor(
    private readonly config: Config,
    private readonly encryption: EncryptionService,
    private readonly evidence: EvidenceSeals,
    answers: KeptAnswers,
  ) {
    this.kept = new LRUCache({
      max: MAX_COUNTED,
      ttl: COUNTED_MS,
      fetchMethod: async (accountId: string) => ({ bytes: await answers.keptBytes(accountId) }),
    });
  }

  /** Cuts and seals the answer to a payment, and makes its evidence. */
  async seal(
    { id, accountId }: Payment,
    answer: Answer & { live?: LiveBody },
    { maxBytes = Infinity, digest = answer.live ? null : { sha256: sha256(answer.body), isCut: answer.truncated } }: SealOptions = {},
  ): Promise<SealedAnswer> {
    const { status, headers, body, truncated } = answer;
    const account = await this.kept.forceFetch(accountId);
    const room = Math.max(0, this.config.KEPT_ANSWER_BYTES_PER_ACCOUNT - account.bytes);
    const kept = body.subarray(0, Math.min(body.length, maxBytes, room));
    account.bytes += kept.length;
    const head = Buffer.from(JSON.stringify(headers));
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(head.length);
    const sealed = this.encryption.seal('payment-answer', id, Buffer.concat([length, head, kept]));
    const evidence = this.evidence.answer(id, answer, digest);
    return { status, truncated: truncated || kept.length < body.length, sealed, bytes: kept.length, evidence };
  }

  /** The answer to a payment: the whole one in the process that got it, else what is kept of it; null if nothing is. */
  open({ id, answer, responseStatus: status, responseSealed, responseTruncated: truncated }: Payment): Answer | null {
    if (answer) return answer;
    if (status === null || responseSealed === null) return null;
    const content = this.encryption.unseal('payment-answer', id, responseSealed);
    const headEnd = LENGTH_BYTES + content.readUInt32BE(0);
    const headers = JSON.parse(content.subarray(LENGTH_BYTES, headEnd).toString()) as Record<string, string>;
    return { status, headers, body: content.subarray(headEnd), truncated };
  }
}
