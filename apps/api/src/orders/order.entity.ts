import { Column, Entity } from 'typeorm';
import { BigintColumn, IdColumn, MicroUsdcColumn, MomentColumn } from '#database';

/**
 * `created`: accepted, nothing sent yet. `pending_approval`: waits for an operator. `submitted`: signed bytes exist and may
 * land. The other three are final, though `failed` and a lack of balance may be run again under the same key.
 */
export type OrderStatus = 'created' | 'pending_approval' | 'submitted' | 'settled' | 'rejected' | 'failed';

/** Whatever spends a number of an account: it pays somebody, or sets money aside for somebody. */
/** What an order is from the beginning. */
export type NewOrder = Pick<
  Order,
  | 'kind'
  | 'operatorId'
  | 'accountId'
  | 'sessionId'
  | 'idempotencyKey'
  | 'requestHash'
  | 'recipient'
  | 'destination'
  | 'destinationAccountId'
  | 'microUsdc'
  | 'memo'
  | 'category'
>;

export type OrderKind = 'transfer' | 'session' | 'top_up' | 'charge';

/** Why a rule refused, as it is kept and shown: amounts in USDC with six decimals. */
export interface StoredViolation {
  rule: string;
  message: string;
  limit_usdc?: string;
  attempted_usdc?: string;
  remaining_usdc?: string;
  reserved_usdc?: string;
  available_at?: string;
  version?: number;
}

/** Why a transfer failed that no rule refused. */
export interface StoredFailure {
  code: 'chain_unavailable' | 'invalid_recipient' | 'conflict';
  message: string;
}

/** An order that spends a number of its account, and how far it has come. Most are transfers. */
@Entity('transfers')
export class Order {
  @IdColumn()
  id: string;

  @Column('text')
  operatorId: string;

  @Column('text')
  kind: OrderKind;

  /** The session that it opens or tops up. */
  @Column('text', { nullable: true })
  sessionId: string | null;

  /** The account that pays. */
  @Column('text')
  accountId: string;

  @Column('text')
  idempotencyKey: string;

  /** The same, while it is taken; null once another transfer may use it. */
  @Column('text', { nullable: true })
  liveKey: string | null;

  /** SHA-256 of the parameters that a replay must repeat. */
  @Column('bytea')
  requestHash: Buffer;

  /** As submitted: an account id or an address. */
  @Column('text')
  recipient: string;

  /** The token account that receives. */
  @Column('text')
  destination: string;

  /** Whose it is, where it is one of this service's accounts. */
  @Column('text', { nullable: true })
  destinationAccountId: string | null;

  @MicroUsdcColumn()
  microUsdc: bigint;

  @Column('text', { nullable: true })
  memo: string | null;

  /** Key of the memo's HMAC, which goes on chain in its place. */
  @Column('bytea', { nullable: true })
  memoSalt: Buffer | null;

  @Column('text', { nullable: true })
  category: string | null;

  @Column('text')
  status: OrderStatus;

  /** An operator approved it, and its chain key co-signs. */
  @Column('boolean')
  approved: boolean;

  @MomentColumn({ nullable: true })
  approvalExpiresAt: Date | null;

  /** The sequence number that it spends on chain. Taken when it is signed for the first time, and kept. */
  @BigintColumn({ nullable: true })
  seq: bigint | null;

  /** Of the transaction that landed. */
  @Column('text', { nullable: true })
  signature: string | null;

  @Column('text', { nullable: true })
  rejectionReason: string | null;

  /** What the operator said who denied it. */
  @Column('text', { nullable: true })
  denialReason: string | null;

  @Column('jsonb', { nullable: true })
  refusal: StoredViolation | null;

  @Column('jsonb', { nullable: true })
  failure: StoredFailure | null;

  @MomentColumn()
  createdAt: Date;

  /** When the first attempt was signed. */
  @MomentColumn({ nullable: true })
  submittedAt: Date | null;

  @MomentColumn({ nullable: true })
  settledAt: Date | null;

  /** When it became settled, rejected or failed: the key is free 24 hours later. */
  @MomentColumn({ nullable: true })
  finalAt: Date | null;

  /** Until then somebody is at work on it; afterwards the recovery may claim it. */
  @MomentColumn()
  leaseUntil: Date;
}
