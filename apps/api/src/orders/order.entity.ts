import { Column, Entity } from 'typeorm';
import { BigintColumn, IdColumn, MicroUsdcColumn, MomentColumn } from '#database';
import type { OrderStatus } from './order.states';
import { Referenced } from '../lists/references';

export type OrderKind = 'transfer' | 'session' | 'top_up' | 'charge' | 'purse' | 'direct_transfer' | 'channel_purse';

/** The kinds that openings of purses have. They share one space of idempotency keys. */
const PURSE_KINDS: readonly OrderKind[] = ['purse', 'channel_purse'];

/** The kinds of orders whose idempotency keys are in one space with those of a kind. */
export const kindsBeside = (kind: OrderKind): readonly OrderKind[] => (PURSE_KINDS.includes(kind) ? PURSE_KINDS : [kind]);

/** The columns that the caller decides about a new order. The others are null. */
export type NewOrder = Pick<Order, 'id' | 'kind' | 'operatorId' | 'accountId' | 'requestHash' | 'microUsdc'> &
  Partial<
    Pick<
      Order,
      | 'idempotencyKey'
      | 'sessionId'
      | 'recipient'
      | 'destination'
      | 'destinationAccountId'
      | 'payee'
      | 'delegateKey'
      | 'memo'
      | 'category'
      | 'source'
      | 'reference'
      | 'metadata'
      | 'createdBy'
      | 'createdAt'
      | 'byAgent'
      | 'nonceOf'
    >
  >;

/** A policy violation as it is stored and shown. Amounts are USDC with six decimals. */
export interface StoredViolation {
  rule: string;
  message: string;
  /** Whose rule it is: of the account's own policy, of its fleet's policy, or the limits of the fleet. Absent for a rule of the service. */
  scope?: 'account' | 'fleet' | 'fleet_limits';
  /** The fleet of the account, if its rule declined. */
  fleet_id?: string;
  limit_usdc?: string;
  attempted_usdc?: string;
  remaining_usdc?: string;
  reserved_usdc?: string;
  available_at?: string;
  /** Who enforces a rule that the chain does not. */
  enforced_by?: 'service';
  /** The list of the policy, if a list declined. */
  allowed?: string[];
  version?: number;
}

/** Why an order failed without a policy violation. */
export interface StoredFailure {
  code: 'chain_unavailable' | 'invalid_recipient' | 'conflict';
  message: string;
}

/**
 * An instruction to spend: a transfer, a session opening, a top-up, a charge, the opening of a purse of either kind, or a transfer that a
 * seller's facilitator sends. It uses one nonce of its account.
 */
@Entity('orders')
export class Order extends Referenced {
  @IdColumn()
  id: string;

  @Column('text')
  operatorId: string;

  @Column('text')
  kind: OrderKind;

  /** `request`: placed through the API. `backfill`: written from the chain, if a restored database had no row of it. */
  @Column('text')
  source: 'request' | 'backfill';

  /** The session that is opened or topped up. */
  @Column('text', { nullable: true })
  sessionId: string | null;

  /** The account that pays. */
  @Column('text')
  accountId: string;

  /** The request that placed it, by its X-Request-Id: the log lines of all work on it carry it. Null for a backfilled one. */
  @Column('text', { nullable: true })
  requestId: string | null;

  /** The span in which it was placed, as the header `traceparent` names it: recovery continues that trace. Null without traces. */
  @Column('text', { nullable: true })
  traceparent: string | null;

  /** The API key that placed it. Null for an order that a payment placed, and for a backfilled one. */
  @Column('text', { nullable: true })
  createdBy: string | null;

  /** Whether an agent's key asks for it; not stored. */
  byAgent?: boolean;

  /** Null for what a payment places, which has the key itself, and for a backfilled order that no request has claimed. */
  @Column('text', { nullable: true })
  idempotencyKey: string | null;

  /** The idempotency key while it is in use; null once another request may use it. */
  @Column('text', { nullable: true })
  activeIdempotencyKey: string | null;

  /** SHA-256 of the parameters that a replay must repeat. */
  @Column('bytea')
  requestHash: Buffer;

  /** A transfer's `to` as submitted: an account id or the address of a token account. */
  @Column('text', { nullable: true })
  recipient: string | null;

  /** The token account that is credited: of a transfer, of a direct transfer, and of a backfilled charge. */
  @Column('text', { nullable: true })
  destination: string | null;

  /** The owner that a session, a charge or a direct transfer pays. */
  @Column('text', { nullable: true })
  payee: string | null;

  /** The key that a charge or a purse makes delegate of its amount, or that holds the amount of a channel purse. */
  @Column('text', { nullable: true })
  delegateKey: string | null;

  /** The account of this service that owns the destination. */
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

  /** An operator approved it: the operator's chain key co-signs. */
  @Column('boolean')
  approved: boolean;

  /** The API key that approved it. */
  @Column('text', { nullable: true })
  approvedBy: string | null;

  @MomentColumn({ nullable: true })
  approvedAt: Date | null;

  @MomentColumn({ nullable: true })
  approvalExpiresAt: Date | null;

  /** The message authentication code of the order as it waits for an approval. */
  @Column('bytea', { nullable: true })
  waitingMac: Buffer | null;

  /** The message authentication code of its approval: who, which order, which bytes. */
  @Column('bytea', { nullable: true })
  approvalMac: Buffer | null;

  /** The nonce that it uses on chain. Allocated before the first signature, and kept. */
  @BigintColumn({ nullable: true })
  seq: bigint | null;

  /** Of a direct transfer: the block height up to which what another party was given may land. The service never sends it. */
  @BigintColumn({ nullable: true })
  handedUntil: bigint | null;

  /** Of a charge: the direct transfer whose nonce it took over. At most one of the two lands. */
  @Column('text', { nullable: true })
  nonceOf: string | null;

  /** The signature of the transaction that landed. */
  @Column('text', { nullable: true })
  signature: string | null;

  @Column('text', { nullable: true })
  rejectionReason: string | null;

  /** The operator's reason for a denial. */
  @Column('text', { nullable: true })
  denialReason: string | null;

  @Column('jsonb', { nullable: true })
  violation: StoredViolation | null;

  @Column('jsonb', { nullable: true })
  failure: StoredFailure | null;

  @MomentColumn()
  createdAt: Date;

  /** When the first attempt was signed. */
  @MomentColumn({ nullable: true })
  submittedAt: Date | null;

  @MomentColumn({ nullable: true })
  settledAt: Date | null;

  /** When it was last found not to be on the finalized chain, after it had settled. */
  @MomentColumn({ nullable: true })
  reversedAt: Date | null;

  /** When it became settled, rejected or failed. Its idempotency key is free 24 hours later. */
  @MomentColumn({ nullable: true })
  finalAt: Date | null;

  /** Until then one process works on it; afterwards recovery may claim it. */
  @MomentColumn()
  leaseUntil: Date;
}
