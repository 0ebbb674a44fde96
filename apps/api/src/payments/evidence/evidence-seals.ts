import { Injectable } from '@nestjs/common';
import { EncryptionService } from '../../secrets';
import type { Answer } from '../payment.entity';
import { redactedHeaders, sha256 } from './redacted-headers';

/** How much of the body of a 402 is kept: as much as is read of x402's. */
const MAX_DEMAND_BYTES = 65_536;

/** A request as evidence. What the agent sent itself is null. */
export interface RequestEvidence {
  method: string | null;
  /** Without the query, which may carry secrets. */
  url: string | null;
  headers: Record<string, string> | null;
  /** SHA-256 of the body in hexadecimal; of no bytes where there is none. */
  body_sha256: string | null;
}

/** A 402 as it came. */
export interface DemandEvidence {
  status: number;
  headers: Record<string, string>;
  body_base64: string;
  /** The body is longer than what is kept. */
  truncated?: true;
}

/** An answer as evidence. */
export interface AnswerEvidence {
  status: number;
  headers: Record<string, string>;
  /** Of the body as far as it was read; null while it is passed on. */
  body_sha256: string | null;
  /** The body is longer than what was read. */
  truncated?: true;
}

/** The digest of a body as far as it was read. */
export interface BodyDigest {
  sha256: string;
  /** The body is longer than what was read. */
  isCut: boolean;
}

/** The request that a payment is for. `body` is base64. */
interface SentRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
}

/** Seals what is kept as evidence of a payment, and opens it. */
@Injectable()
export class EvidenceSeals {
  constructor(private readonly encryption: EncryptionService) {}

  /** Evidence of a request. `url`: as the payment shows it. */
  request(paymentId: string, { method, headers, body }: SentRequest, url: string | null): string {
    const evidence = { method, url, headers: redactedHeaders(headers), body_sha256: sha256(Buffer.from(body ?? '', 'base64')) };
    return this.seal(paymentId, evidence);
  }

  /** Evidence of a request that the agent makes itself. */
  unseenRequest(paymentId: string, url: string | null): string {
    return this.seal(paymentId, { method: null, url, headers: null, body_sha256: null });
  }

  demand(paymentId: string, { status, headers, body, truncated }: Answer): string {
    const isCut = truncated || body.length > MAX_DEMAND_BYTES;
    return this.seal(paymentId, {
      status,
      headers: redactedHeaders(headers),
      body_base64: body.subarray(0, MAX_DEMAND_BYTES).toString('base64'),
      ...(isCut && { truncated: true as const }),
    });
  }

  /** Evidence of an answer. `digest`: null while the body is passed on. */
  answer(paymentId: string, { status, headers }: Pick<Answer, 'status' | 'headers'>, digest: BodyDigest | null): string {
    return this.seal(paymentId, {
      status,
      headers: redactedHeaders(headers),
      body_sha256: digest?.sha256 ?? null,
      ...(digest?.isCut && { truncated: true as const }),
    });
  }

  /** The content that a method of this class sealed; null if nothing was. */
  open<E extends RequestEvidence | DemandEvidence | AnswerEvidence>(paymentId: string, sealed: string | null): E | null {
    if (sealed === null) return null;
    return JSON.parse(this.encryption.unseal('payment-evidence', paymentId, sealed).toString()) as E;
  }

  private seal(paymentId: string, evidence: RequestEvidence | DemandEvidence | AnswerEvidence): string {
    return this.encryption.seal('payment-evidence', paymentId, Buffer.from(JSON.stringify(evidence)));
  }
}
