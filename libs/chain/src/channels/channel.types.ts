import type { AccountAddresses } from '../program/addresses';

/** A channel purse to be funded: its key then holds exactly the amount, to open channels with. */
export interface ChannelPurseOrder extends AccountAddresses {
  /** 16 bytes, repeated in the events. */
  purseId: Uint8Array;
  microUsdc: bigint;
  category: string | null;
  /** A key made for this purse alone. */
  key: string;
  /** From its landing on, by the chain's clock: 1 to 691,200. Then sweeping and finishing it are permissionless. */
  expiresInSeconds: number;
  authority: string;
  approvedBy: string | null;
}

/** A channel purse by its account on chain. */
export interface ChannelPurseState {
  /** Base58. */
  address: string;
  /** 16 bytes. */
  purseId: Uint8Array;
  seq: bigint;
  key: string;
  keyTokenAccount: string;
  microUsdc: bigint;
  /** Micro-USDC moved home. */
  swept: bigint;
  /** Whether what is missing was counted as spent. */
  isFinished: boolean;
  deadline: Date;
  rentPayer: string;
}

/** The name of a channel purse on chain. */
export interface PurseName {
  /** The account's address. */
  account: string;
  /** The nonce that funded it. */
  seq: bigint;
  key: string;
}

/** A landed funding. */
export interface FundedChannelPurse {
  seq: bigint;
  /** By the chain's clock. */
  deadline: Date;
}

/** A finished channel purse, by the program's event. */
export interface FinishedChannelPurse {
  signature: string;
  slot: number;
  /** 16 bytes. */
  purseId: Uint8Array;
  /** Micro-USDC that did not come home, which count against the limits. */
  spent: bigint;
}

/** A channel to be opened, or topped up, by a seller's facilitator, which is its rent payer. */
export interface ChannelOpening {
  terms: ChannelTerms;
  /** Texts of memos behind the instruction, as the seller asks for them. */
  memos: readonly string[];
  /** Named by the seller; used if our node knows it. Null for one of ours. */
  recentBlockhash: string | null;
  /** The slot in which the funding landed. */
  minContextSlot: number;
}

/** An opening or a top-up to hand to the seller. */
export interface BuiltChannel {
  /** Base64 of the transaction, signed by the purse's key; the facilitator's signature, which is the first, is empty. */
  transaction: string;
  /** Above this block height it can no longer land; an upper bound if the blockhash is the seller's. */
  lastValidBlockHeight: number;
}

/** The name of a channel and its terms. Its address follows from the keys, the salt and the slot. */
export interface ChannelTerms {
  /** The key of a channel purse. Keys are base58. */
  payer: string;
  /** Pays the rent of the channel; may seal it if it is the payee too. */
  rentPayer: string;
  payee: string;
  mint: string;
  /** Signs vouchers. */
  authorizedSigner: string;
  salt: bigint;
  openSlot: bigint;
  /** Micro-USDC. */
  deposit: bigint;
  graceSeconds: number;
  /** The shares of what is settled, in hundredths of a percent; the payee gets the rest. */
  recipients: readonly { owner: string; shareBps: number }[];
}

/** Amounts that a channel paid. */
export interface PaidChannel {
  microUsdc: bigint;
  /** The newest transaction that paid; null if nothing was paid. */
  signature: string | null;
}

/** A channel by its account on chain. */
export interface ChannelState {
  status: 'open' | 'closing' | 'sealed' | 'distributed';
  /** Micro-USDC. */
  deposit: bigint;
  /** Micro-USDC that vouchers proved. */
  settled: bigint;
  /** When its payer asked to close it; null before. */
  closingAt: Date | null;
  graceSeconds: number;
  payer: string;
  payee: string;
  authorizedSigner: string;
  mint: string;
  rentPayer: string;
}
