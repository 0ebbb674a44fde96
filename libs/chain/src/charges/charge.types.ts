import type { AccountAddresses } from '../program/addresses';

/** A charge to be approved: `delegate` may then move exactly the amount. */
export interface ChargeOrder extends AccountAddresses {
  /** 16 bytes, repeated in the event. */
  chargeId: Uint8Array;
  microUsdc: bigint;
  category: string | null;
  /** A key made for this charge alone. */
  delegate: string;
  /** From its landing on, by the chain's clock: 1 to 3,600. Then finishing it is permissionless. */
  expiresInSeconds: number;
  /** Whether it is for many payments: then `max_session_cap` applies to it too. Default false. */
  purse?: boolean;
  authority: string;
  approvedBy: string | null;
}

/** A charge that is not finished. */
export interface OpenCharge {
  chargeId: Uint8Array;
  seq: bigint;
  microUsdc: bigint;
  delegate: string;
  deadline: Date;
}

/** A landed approval, by the program's event. */
export interface ApprovedCharge {
  seq: bigint;
  /** By the chain's clock. */
  deadline: Date;
}

/** A finished charge, by the program's event. */
export interface FinishedCharge {
  /** Null if no node has the transaction any more. */
  signature: string | null;
  slot: number;
  /** 16 bytes. */
  chargeId: Uint8Array;
  /** Micro-USDC that its delegate moved, which count against the limit; an upper bound if it is not exact. Null if no node has the transaction. */
  spent: bigint | null;
  /** False if the delegate had no allowance left: it used all of it, or revoked the rest itself. */
  isExact: boolean;
}

/** The life of a charge: the transactions that approved and ended it. */
export interface ChargeSpan {
  tokenAccount: string;
  delegate: string;
  /** Signature; null if no node has it any more. */
  approval: string | null;
  /** Signature; null while the charge is open: up to now, as far as the node has it. */
  end: string | null;
}

/** The movements by a charge's delegate, oldest first. */
export interface ChargeMovements {
  movements: ChargeMovement[];
  /** False if the node does not have the approval any more, so that earlier movements may be missing. */
  isComplete: boolean;
}

/** A movement by a charge's delegate. */
export interface ChargeMovement {
  signature: string;
  /** The slot in which it landed. */
  slot: number;
  microUsdc: bigint;
  /** Token account; null if the tokens were burnt. */
  destination: string | null;
  /** The text of the transaction's memo; null if it has none, or several. */
  memo: string | null;
  /** The delegate's signature of the transaction, base58: that of the `BuiltX402Transfer` that it was. */
  delegateSignature: string;
}

/** The plain transfer that a provider of the pull form takes. */
export interface ChargePayment {
  /** The account, which owns `tokenAccount`. */
  owner: string;
  tokenAccount: string;
  /** Owner of the associated token account that is credited. */
  recipient: string;
  microUsdc: bigint;
  /** Added to the transaction as a memo. */
  externalId: string | null;
  /** Named by the provider; used only if our node knows it. Null for one of ours. */
  recentBlockhash: string | null;
  /** The provider's fee payer, which signs last. Null if ours pays. */
  feePayer: string | null;
  /** The slot in which the approval landed. */
  minContextSlot: number;
}

/** The state of a charge by its account. */
export type ChargeStanding =
  /** Its nonce is not used, or there is no account. */
  | { kind: 'not_approved' }
  /** Micro-USDC that its delegate may still move. */
  | { kind: 'open'; left: bigint }
  /** Micro-USDC that the program counted. */
  | { kind: 'ended'; spent: bigint }
  /** The delegate revoked its allowance itself, or the node has pruned the end. */
  | { kind: 'unknown' };

/** A payment to hand to the provider. */
export interface BuiltPayment {
  /** Base64 of the transaction, signed by the delegate, and by our fee payer if that pays. */
  transaction: string;
  /** Null if the provider's fee payer has still to sign: the first signature names a transaction. */
  signature: string | null;
  /** Above this block height it can no longer land; an upper bound if the blockhash is the provider's. */
  lastValidBlockHeight: number;
}

/** The transfer that an x402 facilitator takes, signs as fee payer and sends. */
export interface X402Transfer {
  /** The account, which owns `tokenAccount`. */
  owner: string;
  tokenAccount: string;
  /** Owner of the associated token account that is credited. */
  payTo: string;
  microUsdc: bigint;
  /** The facilitator's key. */
  feePayer: string;
  /** The seller's, at most 256 bytes; null for 32 random hexadecimal digits. */
  memo: string | null;
  /** Named by the seller; used if our node knows it. Null for one of ours. */
  recentBlockhash: string | null;
  /** The slot in which the approval landed. */
  minContextSlot: number;
}

/** An x402 transfer to hand to the seller. */
export interface BuiltX402Transfer {
  /** Base64 of the transaction, signed by the delegate; the facilitator's signature, which is the first, is empty. */
  transaction: string;
  memo: string;
  /** Base58. No other transaction has it, so that it finds this one's landing. */
  delegateSignature: string;
  /** Above this block height it can no longer land; an upper bound if the blockhash is the seller's. */
  lastValidBlockHeight: number;
}
