import { Injectable } from '@nestjs/common';
import type { LandedOrder, SignedTransaction, Signer, Verdict } from '#chain';
import type { Account } from '../accounts';
import type { NewLedgerEntry } from '../ledger';
import type { EventToRecord } from '../events';
import type { NewOrder, OrderKind, Order } from './order.entity';

/** What is written in the same statement as the change that it tells. */
export interface SideEffects {
  event?: EventToRecord;
  lines?: NewLedgerEntry[];
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
export interface OrderHandler {
  readonly name: OrderKind;
  /** The program's verdict with the number `seq`. Nothing is sent. @throws ChainUnavailableError */
  judge(order: Order, account: Account, approver: Signer | null, seq: bigint, minContextSlot: number): Promise<Verdict>;
  /** Signs by the account's authority, and by whoever approved. Nothing is sent. */
  sign(order: Order, account: Account, approver: Signer | null, seq: bigint): Promise<SignedTransaction>;
  /** It is about to be sent for the first time. */
  initiated(order: Order, signature: string): SideEffects;
  /** It has landed. @throws ChainUnavailableError: asked again later. */
  settled(order: Order, landed: Landed, settledAt: Date): Promise<SideEffects>;
  /** A rule said no, or an operator, or nobody yes in time. */
  declined(order: Order, reason: string): SideEffects;
  /** What an order was that landed and has no row: a restored database has forgotten it. Undefined where nothing is to be written down. @throws ChainUnavailableError */
  remember?(landed: LandedOrder, account: Account): Promise<{ id: string; order: NewOrder } | undefined>;
  /** It waits for an operator. */
  escalated(order: Order, thresholdMicroUsdc: bigint, expiresAt: Date): SideEffects;
}

/** The kinds of orders, each registered by its feature. */
@Injectable()
export class OrderHandlers {
  private readonly kinds = new Map<OrderKind, OrderHandler>();

  register(kind: OrderHandler): void {
    this.kinds.set(kind.name, kind);
  }

  of({ kind }: Pick<Order, 'kind'>): OrderHandler {
    const found = this.kinds.get(kind);
    if (!found) throw new Error(`nobody knows orders of the kind ${kind}`);
    return found;
  }
}
