import { Injectable } from '@nestjs/common';
import type { LandedOrder, SignedTransaction, Signer, Verdict } from '#chain';
import type { Account } from '../accounts/accounts.service';
import type { NewRecord } from '../accounts/history.service';
import type { EventToRecord } from '../events/outbox.service';
import type { NewTransfer, OrderKindName, Transfer } from './order.entity';

/** What is written in the same statement as the change that it tells. */
export interface Told {
  event?: EventToRecord;
  lines?: NewRecord[];
  /** The slot at which the account is known to have changed. */
  slot?: number;
  /** One more change, as a part of the statement that may look into `moved`, the order's row after it; `parameter` makes a value a placeholder. */
  also?: (parameter: (value: unknown) => string) => string;
}

/** Where an order stands on chain. */
export interface Landed {
  signature: string;
  slot: number;
  /** The number that it spent, where its event was read; else the order's own. */
  seq?: bigint;
}

/** What one kind of order does otherwise than the others. The way to the chain, and back from a crash, is the same for all. */
export interface OrderKind {
  readonly name: OrderKindName;
  /** The program's verdict with the number `seq`. Nothing is sent. @throws ChainUnavailableError */
  judge(order: Transfer, account: Account, approver: Signer | null, seq: bigint, minContextSlot: number): Promise<Verdict>;
  /** Signs by the account's authority, and by whoever approved. Nothing is sent. */
  sign(order: Transfer, account: Account, approver: Signer | null, seq: bigint): Promise<SignedTransaction>;
  /** It is about to be sent for the first time. */
  initiated(order: Transfer, signature: string): Told;
  /** It has landed. @throws ChainUnavailableError: asked again later. */
  settled(order: Transfer, landed: Landed, settledAt: Date): Promise<Told>;
  /** A rule said no, or an operator, or nobody yes in time. */
  declined(order: Transfer, reason: string): Told;
  /** What an order was that landed and has no row: a restored database has forgotten it. Undefined where nothing is to be written down. @throws ChainUnavailableError */
  remember?(landed: LandedOrder, account: Account): Promise<{ id: string; order: NewTransfer } | undefined>;
  /** It waits for an operator. */
  escalated(order: Transfer, thresholdMicroUsdc: bigint, expiresAt: Date): Told;
}

/** The kinds of orders, each registered by its feature. */
@Injectable()
export class OrderKinds {
  private readonly kinds = new Map<OrderKindName, OrderKind>();

  register(kind: OrderKind): void {
    this.kinds.set(kind.name, kind);
  }

  of({ kind }: Pick<Transfer, 'kind'>): OrderKind {
    const found = this.kinds.get(kind);
    if (!found) throw new Error(`nobody knows orders of the kind ${kind}`);
    return found;
  }
}

export type { NewTransfer, OrderKindName, Transfer } from './order.entity';
