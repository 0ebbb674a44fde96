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

/** Whether an address can receive USDC. */
export type Recipient = { kind: 'token_account'; owner: string } | { kind: 'invalid'; reason: string };
