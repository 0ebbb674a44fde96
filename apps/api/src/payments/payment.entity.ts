import { Column, Entity } from 'typeorm';
import { BigintColumn, IdColumn, MicroUsdcColumn, MomentColumn } from '#database';
import type { StoredViolation } from '../orders';
import type { PaymentStatus } from './payment.states';
import { Referenced } from '../lists/references';

/** The protocol of a provider's 402. */
export type PaymentProtocol = 'mpp' | 'x402';

/**
 * How a payment is paid: a voucher of a session, a single transfer by a one-time delegate, a transfer by the delegate of a purse, a transfer by
 * the program itself, which the seller's facilitator sends, or a payment channel that the seller opens out of a channel purse.
 */
export type PaymentMethodName = 'voucher' | 'charge' | 'purse' | 'transfer' | 'channel';

/** Why a payment failed without a policy violation. */
export interface PaymentFailure {
  code: 'chain_unavailable' | 'provider_unreachable' | 'account_busy';
  message: string;
}

/** A provider's answer, as far as its body was read. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  truncated: boolean;
}

/** A body that is passed on as it comes: it is iterated once, or closed. */
export interface LiveBody {
  /** Iterating throws if the body is longer than its limit, ends early, or takes too long. */
  body: AsyncIterable<Buffer>;
  close(): void;
}

/** A provider's answer as it is stored: encrypted, for it may carry what only the caller may read. */
export interface SealedAnswer {
  status: number;
  truncated: boolean;
  sealed: string;
  /** How much of the body is kept. */
  bytes: number;
  /** Its evidence, which is kept longer. */
  evidence: string;
}

/** One call of a paid API, and the payment for it. */
@Entity('payments')
export class Payment extends Referenced {
  @IdColumn()
  id: string;

  @Column('text')
  operatorId: string;

  @Column('text')
  accountId: string;

  /** Null until a method is chosen. */
  @Column('text', { nullable: true })
  method: PaymentMethodName | null;

  /** The protocol of the provider's 402. Null until a method is chosen. */
  @Column('text', { nullable: true })
  protocol: PaymentProtocol | null;

  /** The session that pays; null for a charge, or before the session is known. */
  @Column('text', { nullable: true })
  sessionId: string | null;

  /** The purse that pays; null for other methods, or before the purse is known. */
  @Column('text', { nullable: true })
  purseId: string | null;

  @Column('text')
  idempotencyKey: string;

  /** The idempotency key while it is in use; null once another request may use it. */
  @Column('text', { nullable: true })
  activeIdempotencyKey: string | null;

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

  /** The HTTP method of the request. Null if the agent calls the provider, and for payments from before it was kept. */
  @Column('text', { nullable: true })
  requestMethod: string | null;

  /** The URL that is paid for, without its query, which may carry secrets. Null for payments from before it was kept. */
  @Column('text', { nullable: true })
  requestUrl: string | null;

  /** The encrypted request: it may carry secrets of the caller. Deleted a day after the payment is final. */
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

  /** The encrypted credential: it is worth its amount. */
  @Column('text', { nullable: true })
  credentialSealed: string | null;

  /** The cumulative amount of the voucher. */
  @BigintColumn({ nullable: true })
  cumulativeMicroUsdc: bigint | null;

  /** Whether the credential was sent a second time. */
  @Column('boolean')
  resent: boolean;

  /** The order of the charge or of the direct transfer. The id of a charge's is reserved before the order is stored. */
  @Column('text', { nullable: true })
  orderId: string | null;

  /** The one-time key that may move a charge's amount. */
  @Column('text', { nullable: true })
  delegateKey: string | null;

  @Column('text', { nullable: true })
  delegateKeySealed: string | null;

  /** The signature of the transfer that the provider was given, if it is known before it lands. */
  @Column('text', { nullable: true })
  transactionSignature: string | null;

  /** The delegate's signature of a purse's transfer: finds its landing. */
  @Column('text', { nullable: true })
  delegateSignature: string | null;

  /** Above this block height the transfer cannot land. */
  @BigintColumn({ nullable: true })
  lastValidBlockHeight: bigint | null;

  /** As the provider sent it. */
  @Column('text', { nullable: true })
  receipt: string | null;

  @Column('integer', { nullable: true })
  responseStatus: number | null;

  /** The encrypted headers and body of the provider's answer. */
  @Column('text', { nullable: true })
  responseSealed: string | null;

  /** How much of the answer's body is kept. */
  @Column('integer', { nullable: true })
  responseBytes: number | null;

  /** The whole answer, in the process that got it; with its body unread if the caller takes it as it comes. */
  answer?: Answer & { live?: LiveBody };

  @Column('boolean')
  responseTruncated: boolean;

  @Column('text', { nullable: true })
  rejectionReason: string | null;

  @Column('jsonb', { nullable: true })
  violation: StoredViolation | null;

  @Column('jsonb', { nullable: true })
  failure: PaymentFailure | null;

  /** The signature of the transaction that paid a charge, or moved the amount out of a purse. */
  @Column('text', { nullable: true })
  signature: string | null;

  @MomentColumn()
  createdAt: Date;

  @MomentColumn({ nullable: true })
  sentAt: Date | null;

  @MomentColumn({ nullable: true })
  finalAt: Date | null;

  /** When the chain went back behind what had paid it; null if it never did. */
  @MomentColumn({ nullable: true })
  reversedAt: Date | null;

  @MomentColumn()
  leaseUntil: Date;
}
