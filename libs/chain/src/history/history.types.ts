import type { EventFields } from '../program/idl-types';

/** A transfer, by the program's event. */
export interface LandedTransfer {
  signature: string;
  slot: number;
  /** Address of the account that paid. */
  account: string;
  seq: bigint;
  transferId: Buffer;
  microUsdc: bigint;
  destination: string;
}

/** An order that used a nonce, by the program's event. */
export interface LandedOrder {
  kind: 'transfer' | 'session' | 'top_up' | 'charge' | 'purse';
  signature: string;
  slot: number;
  /** Address of the account that paid. */
  account: string;
  seq: bigint;
  /** 16 bytes: of the transfer, the session, the top-up, the charge or the purse. Empty where a session was opened at another address than ours. */
  id: Buffer;
  microUsdc: bigint;
  /** Address of the session that was opened or topped up. */
  session: string | null;
  /** The token account that a transfer credited. */
  destination: string | null;
  /** The delegate of a charge or a purse. */
  delegate: string | null;
  /** Of a transfer, a session, a charge or a purse, where one was given. */
  category: string | null;
}

/** What a transaction did to a token account, by any instruction. */
export interface BalanceChange {
  /** Micro-USDC gained; negative where lost. */
  microUsdc: bigint;
  /** The token account that gave most; null where the money was minted. */
  sender: string | null;
  /** The token account that gained most; null where the money was burnt. */
  receiver: string | null;
  /** The part of it that accounts of the program transferred, by the program's events. */
  transfers: LandedTransfer[];
  /** The part of it that the account's own sessions moved to or from escrow, by its events. Excludes what others sent to an escrow. */
  ours: bigint;
}

/** The fields of an event, and the transaction that emitted it. */
export interface LandedEvent<Name extends keyof EventFields> {
  signature: string;
  slot: number;
  data: EventFields[Name];
}
