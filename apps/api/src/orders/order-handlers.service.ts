import { Injectable } from '@nestjs/common';
import type { ChainAccount, LandedOrder, SignedTransaction, Signer, SimulationOutcome } from '#chain';
import type { Sql } from '#database';
import type { Account } from '../accounts';
import type { EventToRecord } from '../events';
import type { NewLedgerEntry } from '../ledger';
import type { NewOrder, Order, OrderKind, StoredViolation } from './order.entity';

/** The rows that are written in the same statement as a transition of an order. */
export interface SideEffects {
  event?: EventToRecord;
  entries?: NewLedgerEntry[];
  /** The slot at which the account was observed to change. */
  slot?: number;
  /** An entry of the audit log. */
  audit?: Sql;
  /** Changes of the kind's own tables, as data-modifying queries. The order's row after the transition is `moved`. */
  companion?: Sql | readonly Sql[];
}

/** A transaction of an order that landed. */
export interface Landed {
  /** Null if the state of the chain shows that it landed, and not by which of its attempts. */
  signature: string | null;
  slot: number;
  /** The nonce of the landed order, if its event was read; else the order's own. */
  seq?: bigint;
  /** The address of the session that it opened or topped up, if its event was read. */
  session?: string | null;
  /** By the chain's clock. */
  landedAt?: Date | null;
  /** No node has the transaction any more. */
  isShownByState?: boolean;
}

/** The state of the chain for an order whose nonce is used. */
export interface ShownOrder {
  /** Whether it proves that the order landed. If not, the balance of the account may. */
  isProven: boolean;
  /** Micro-USDC that the order moved out of the token account and that the ledger does not count yet; null if that cannot be told. */
  microUsdc: bigint | null;
}

/** A landed order that has no row, by the id that its row gets. */
export interface FoundOrder {
  order(id: string): NewOrder;
  /** Inserts what the kind keeps beside the order, whose row is `moved`. */
  companion?(id: string): Sql;
}

/** The outcome of a simulation, or the decline by a rule that the service enforces itself. */
export type OrderOutcome = SimulationOutcome | { kind: 'declined'; violation: StoredViolation };

/** The instruction that an order sends: all of it but the keys, which may be rotated, and the nonce. */
export interface OrderInstruction {
  /** The object of an approval: the instruction's arguments, without those of keys that may be rotated. */
  facts(account: Account): object;
  /** Simulates the instruction with the nonce `seq`. Nothing is sent. @throws ChainUnavailableError */
  simulate(account: Account, approver: Signer | null, seq: bigint, minContextSlot: number): Promise<OrderOutcome>;
  /** Signs with the account's authority, and with the approver's key. Nothing is sent. */
  sign(account: Account, approver: Signer | null, seq: bigint): Promise<SignedTransaction>;
}

/** The differences of one kind of order. Simulation, submission, recovery and replay are the same for all. */
export interface OrderHandler {
  readonly kind: OrderKind;
  /** The instruction of a stored order. */
  instruction(order: Order): Promise<OrderInstruction>;
  /** The first attempt is about to be sent. */
  initiated(order: Order, signature: string): SideEffects;
  /** The order landed. @throws ChainUnavailableError: recovery asks again. */
  settled(order: Order, landed: Landed, settledAt: Date): Promise<SideEffects>;
  /** The order by the state of the chain, of which no node has the transaction. Undefined if the state shows nothing. @throws ChainUnavailableError */
  shown(order: Order, account: Account, onChain: ChainAccount): Promise<ShownOrder | undefined>;
  /** The order had settled and is not on the finalized chain: undoes what `settled` wrote. Undefined for a kind that is not sent again. */
  reversed(order: Order): Promise<SideEffects | undefined>;
  /** A policy violation, a denial, or an approval that expired. */
  declined(order: Order, reason: string): Promise<SideEffects>;
  /** The order waits for an operator. */
  escalated(order: Order, thresholdMicroUsdc: bigint, expiresAt: Date): SideEffects;
  /** A landed order that the database has no row of, after a restore. Undefined if nothing is to be written. @throws ChainUnavailableError */
  backfill(landed: LandedOrder, account: Account): Promise<FoundOrder | undefined>;
}

/** The handlers of all kinds. Each feature registers its own. */
@Injectable()
export class OrderHandlers {
  private readonly handlers = new Map<OrderKind, OrderHandler>();

  register(handler: OrderHandler): void {
    this.handlers.set(handler.kind, handler);
  }

  /** @throws Error for a kind without a handler. */
  of({ kind }: Pick<Order, 'kind'>): OrderHandler {
    const handler = this.handlers.get(kind);
    if (!handler) throw new Error(`no handler is registered for orders of the kind ${kind}`);
    return handler;
  }
}
