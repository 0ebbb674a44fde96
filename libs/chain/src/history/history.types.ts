import type { EventFields } from '../program/idl-types';

/** An order that used a nonce, by the program's instruction. */
export interface LandedOrder {
  kind: 'transfer' | 'session' | 'top_up' | 'charge' | 'purse' | 'channel_purse';
  signature: string;
  slot: number;
  /** Address of the account that paid. */
  account: string;
  seq: bigint;
  /**
   * 16 bytes: of the transfer, the session, the top-up, the charge or the purse. Empty if a session or a channel purse was opened at
   * another address than ours.
   */
  id: Buffer;
  microUsdc: bigint;
  /** Address of the session that was opened or topped up. */
  session: string | null;
  /** The token account that a transfer credited. */
  destination: string | null;
  /** The delegate of a charge or a purse; the key of a channel purse. */
  delegate: string | null;
  /** Of a transfer, a session, a charge or a purse, if one was given. */
  category: string | null;
  /** The HMAC of a transfer's memo; null without one. */
  memoHash: Buffer | null;
  /** The terms that a session was opened with; null for another order, and if the node does not know the time of the block. */
  opening: SessionOpening | null;
  /** When anyone may finish a charge or a purse; null for another order, and if the node does not know the time of the block. */
  deadline: Date | null;
  /** The time of the transaction's block; null if the node does not know it. */
  landedAt: Date | null;
}

/** The terms that a session was opened with. */
export interface SessionOpening {
  payee: string;
  voucherKey: string;
  /** SHA-256 of the provider's origin. */
  providerHash: Buffer;
  openedAt: Date;
  expiresAt: Date;
  graceSeconds: number;
}

/** The change of a token account by a transaction, by any instruction. */
export interface BalanceChange {
  /** Micro-USDC gained; negative if lost. */
  microUsdc: bigint;
  /** The balance before and after the transaction, in micro-USDC. */
  before: bigint;
  after: bigint;
  /** The token account that gave most; null if the money was minted. */
  sender: string | null;
  /** The token account that gained most; null if the money was burnt. */
  receiver: string | null;
  /** The transfers of accounts of the program that are part of it. */
  transfers: LandedOrder[];
  /** The part of it that the account's own sessions moved to or from escrow. Excludes what others sent to an escrow. */
  ours: bigint;
}

/** The amount that a transaction moved into a token account. */
export interface IncomingMovement {
  microUsdc: bigint;
  /** The token account that it came from. */
  source: string;
  /** The session that paid it out of its escrow, and the account that opened it; null if it came from elsewhere. */
  session: { address: string; account: string } | null;
  /** The signer that moved it: the source's owner, or a delegate. */
  authority: string;
  /** That signer's signature of the transaction; null if a program signed for its own address. */
  signature: string | null;
}

/** The fields of an event, and the transaction that emitted it. */
export interface LandedEvent<Name extends keyof EventFields> {
  signature: string;
  slot: number;
  data: EventFields[Name];
}
