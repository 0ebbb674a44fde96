import { Column, Entity } from 'typeorm';
import { BigintColumn, IdColumn, MicroUsdcColumn, MomentColumn } from '#database';
import type { StoredViolation } from '../orders';

/**
 * `created`: nothing was promised yet. `unknown`: a credential is out, and nobody knows what became of it. The others are
 * final, though `failed`, of which nothing was promised, and a lack of balance may be run again under the same key.
 */
export type PaymentStatus = 'created' | 'unknown' | 'free' | 'paid' | 'paid_unreceipted' | 'rejected' | 'failed';

/** Why nothing was paid, though no rule refused it. */
export interface PaymentFailure {
  code: 'chain_unavailable' | 'provider_unreachable' | 'account_busy';
  message: string;
}

/** One call of a paid API, and the payment for it. */
@Entity('payments')
export class Payment {
  @IdColumn()
  id: string;

  @Column('text')
  operatorId: string;

  @Column('text')
  accountId: string;

  /** Out of which it is paid; null for a charge, or before the session is known. */
  @Column('text', { nullable: true })
  sessionId: string | null;

  @Column('text')
  idempotencyKey: string;

  @Column('text', { nullable: true })
  liveKey: string | null;

  /** SHA-256 of the parameters that a replay must repeat. */
  @Column('bytea')
  requestHash: Buffer;

  /** `pay`: we call the provider. `authorize`: the agent does, and we only sign. */
  @Column('text')
  mode: 'pay' | 'authorize';

  @MicroUsdcColumn()
  maxMicroUsdc: bigint;

  /** The provider's origin. */
  @Column('text')
  provider: string;

  /** The request, sealed, for it may carry secrets of the caller's; gone a day after the payment is final. */
  @Column('text', { nullable: true })
  requestSealed: string | null;

  @Column('text')
  status: PaymentStatus;

  @MicroUsdcColumn()
  microUsdc: bigint;

  @Column('text', { nullable: true })
  category: string | null;

  /** Owner of the token account that is paid. */
  @Column('text', { nullable: true })
  payee: string | null;

  @Column('text', { nullable: true })
  challengeId: string | null;

  /** What was, or is about to be, sent: sealed, for it is worth the amount. */
  @Column('text', { nullable: true })
  credentialSealed: string | null;

  /** Of the voucher, where a session pays. */
  @BigintColumn({ nullable: true })
  cumulativeMicroUsdc: bigint | null;

  /** Whether the same credential was sent once more. */
  @Column('boolean')
  resent: boolean;

  /** The key that may move a charge's amount, made for it alone. */
  @Column('text', { nullable: true })
  delegateKey: string | null;

  @Column('text', { nullable: true })
  delegateKeySealed: string | null;

  /** Of the transfer that the provider was given, where we know it, and the height above which it cannot land. */
  @Column('text', { nullable: true })
  transactionSignature: string | null;

  @BigintColumn({ nullable: true })
  lastValidBlockHeight: bigint | null;

  /** As the provider sent it. */
  @Column('text', { nullable: true })
  receipt: string | null;

  @Column('integer', { nullable: true })
  responseStatus: number | null;

  @Column('jsonb', { nullable: true })
  responseHeaders: Record<string, string> | null;

  @Column('bytea', { nullable: true })
  responseBody: Buffer | null;

  @Column('boolean')
  responseTruncated: boolean;

  @Column('text', { nullable: true })
  rejectionReason: string | null;

  @Column('jsonb', { nullable: true })
  refusal: StoredViolation | null;

  @Column('jsonb', { nullable: true })
  failure: PaymentFailure | null;

  /** Of the transaction that paid a charge. */
  @Column('text', { nullable: true })
  signature: string | null;

  @MomentColumn()
  createdAt: Date;

  @MomentColumn({ nullable: true })
  sentAt: Date | null;

  @MomentColumn({ nullable: true })
  finalAt: Date | null;

  @MomentColumn()
  leaseUntil: Date;
}
