import type { AccountAddresses } from '../program/addresses';

/** A transfer, as the program takes it. */
export interface TransferOrder extends AccountAddresses {
  /** The token account that is credited. */
  destination: string;
  /** 16 bytes, repeated in the event. */
  transferId: Uint8Array;
  microUsdc: bigint;
  category: string | null;
  /** 32 bytes; null without a memo. */
  memoHash: Uint8Array | null;
  /** The account's authority. */
  authority: string;
  /** The operator, when it co-signs. */
  approvedBy: string | null;
}

/** A transfer of the program that an x402 facilitator completes, pays the fee of, and sends. */
export interface DirectTransferOrder extends TransferOrder {
  /** The facilitator's key. */
  feePayer: string;
  /** The text of the memo beside the transfer. */
  memo: string;
  /** A blockhash that the seller proposes; null for one of ours. */
  recentBlockhash: string | null;
}

/** An address as a recipient of USDC: a token account and its owner, or the reason why it can receive none. */
export type Recipient = { kind: 'token_account'; owner: string } | { kind: 'invalid'; reason: string };
