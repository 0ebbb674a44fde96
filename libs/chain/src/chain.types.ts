/** The rules of a policy, named as the API names them, in the order in which the program asks them. */
export const RULES = [
  'paused',
  'max_single_transfer',
  'max_session_cap',
  'allowed_counterparties',
  'categories',
  'require_memo',
  'max_daily_spend',
  'insufficient_balance',
  'escalation_threshold',
] as const;
export type Rule = (typeof RULES)[number];

/** A rule's no, with the numbers that the program compared. Money in micro-USDC; absent where a number makes no sense. */
export interface Refusal {
  rule: Rule;
  limit?: bigint;
  attempted?: bigint;
  remaining?: bigint;
  reserved?: bigint;
  /** When the same amount fits, by the chain's clock. */
  availableAt?: Date;
  policyVersion?: bigint;
}

/** Why a transaction failed that no rule refused; the names are the program's errors in snake_case. */
export type Failure = { reason: string; detail: string };

/** What the program says of a transfer, asked by simulation. Nothing was sent. */
export type Verdict = { kind: 'allowed' } | { kind: 'refused'; refusal: Refusal } | { kind: 'failed'; failure: Failure };

/** Where an account lives on chain. Addresses are base58. */
export interface AccountAddresses {
  /** The program-derived address: the account's `chain_address`. */
  address: string;
  /** Its associated token account for the service's mint. */
  tokenAccount: string;
}

/** One payment, as the program sees it. */
export interface TransferOrder extends AccountAddresses {
  /** Receiving token account. */
  destination: string;
  /** 16 bytes, the same in the event. */
  transferId: Uint8Array;
  microUsdc: bigint;
  category: string | null;
  /** 32 bytes, when there is a memo. */
  memoHash: Uint8Array | null;
  /** The account's authority. */
  authority: string;
  /** The operator, when it co-signs. */
  approvedBy: string | null;
}

/** A payment inside a session, as the program judges it. */
export interface SessionPayment {
  /** Address of the paying account. */
  account: string;
  /** Address of the session. */
  session: string;
  microUsdc: bigint;
  /** Null for the session's own. */
  category: string | null;
}

/** A session to be opened. Its address follows from the account and the sequence number: `sessions.plan`. */
export interface SessionOrder extends AccountAddresses {
  /** 16 bytes, the same in the event. */
  sessionId: Uint8Array;
  /** 32 bytes: SHA-256 of the provider's origin. */
  providerHash: Uint8Array;
  /** Owner of the token account that is paid. */
  payee: string;
  /** Micro-USDC. */
  cap: bigint;
  category: string | null;
  /** The key that signs vouchers. */
  voucherKey: string;
  /** From its landing on, by the chain's clock: 60 to 2,592,000. */
  expiresInSeconds: number;
  /** 0 to 86,400. */
  graceSeconds: number;
  authority: string;
  /** The operator, when it co-signs. */
  approvedBy: string | null;
}

/** A higher cap for an open session. */
export interface TopUpOrder extends AccountAddresses {
  /** Address of the session. */
  session: string;
  /** 16 bytes, the same in the event. */
  topUpId: Uint8Array;
  microUsdc: bigint;
  authority: string;
  approvedBy: string | null;
}

/** The 50 bytes that promise the payee so much in all, signed by the session's voucher key. */
export interface SignedVoucher {
  message: Uint8Array;
  signature: Uint8Array;
}

/** Owed: it ended while its payee could not receive, and the escrow keeps what is the payee's. */
export type SessionStatus = 'open' | 'closing' | 'owed';

/** A session as the chain holds it. One that is over is no more. Money in micro-USDC. */
export interface ChainSession {
  address: string;
  escrow: string;
  /** Address of the paying account. */
  account: string;
  sessionId: Uint8Array;
  payee: string;
  payeeTokenAccount: string;
  voucherKey: string;
  category: string | null;
  rentPayer: string;
  seq: bigint;
  status: SessionStatus;
  cap: bigint;
  /** Paid to the payee. */
  settled: bigint;
  /** Of the highest voucher shown; above `settled` only while the payee cannot receive. */
  proven: bigint;
  openedAt: Date;
  expiresAt: Date;
  graceSeconds: number;
  /** From then on anybody may end it. */
  endsAt: Date;
}

/** Where a session stands after a settlement or a closing: by its account, or by the event of its end. Money in micro-USDC. */
export interface SessionOutcome {
  signature: string;
  slot: number;
  status: SessionStatus | 'closed';
  /** Paid to the payee since the session was read. */
  paid: bigint;
  /** The payee's in all, `owed` included. */
  settled: bigint;
  /** Of the cap, the account's again; 0 until the session has ended. Then `settled + returned` is the cap. */
  returned: bigint;
  /** Part of `settled` that the payee cannot receive yet. */
  owed: bigint;
  /** While closing: when anybody may end it. */
  endsAt: Date | null;
}

/** One charge to be approved: `delegate` may then move exactly the amount. */
export interface ChargeOrder extends AccountAddresses {
  /** 16 bytes, the same in the event. */
  chargeId: Uint8Array;
  microUsdc: bigint;
  category: string | null;
  /** A key made for this charge alone. */
  delegate: string;
  /** From its landing on, by the chain's clock: 1 to 3,600. Then anybody may finish it. */
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

/** A finished charge, by the program's event. */
export interface FinishedCharge {
  signature: string;
  slot: number;
  /** 16 bytes. */
  chargeId: Uint8Array;
  /** Micro-USDC that its key moved, and that count against the limit; at most so much where it is not exact. */
  spent: bigint;
  /** False where the key had no allowance left: it used all of it, or gave the rest back itself. */
  isExact: boolean;
}

/** The life of a charge: the transactions that approved and ended it. */
export interface ChargeSpan {
  tokenAccount: string;
  delegate: string;
  /** Signature; null to look at the whole history. */
  approval: string | null;
  /** Signature; null while the charge is open: up to now, as far as the node has it. */
  end: string | null;
}

/** One movement by a charge's key. */
export interface ChargeMovement {
  signature: string;
  microUsdc: bigint;
  /** Token account; null where the tokens were burnt. */
  destination: string | null;
  /** The text of the transaction's memo; null where it has none, or several. */
  memo: string | null;
  /** The key's signature of the transaction, base58: that of the `BuiltX402Transfer` that it was. */
  delegateSignature: string;
}

/** The plain transfer that a provider of the pull form takes. */
export interface ChargePayment {
  tokenAccount: string;
  /** Owner of the receiving associated token account. */
  recipient: string;
  microUsdc: bigint;
  /** Goes with it as a memo. */
  externalId: string | null;
  /** Named by the provider; used only if our node knows it. Null for one of ours. */
  recentBlockhash: string | null;
  /** The provider's, where it pays the fee and signs last. Null where ours pays. */
  feePayer: string | null;
  /** Where the approval landed. */
  minContextSlot: number;
}

/** A payment to hand to the provider. */
export interface BuiltPayment {
  /** Base64 of the transaction, signed by the delegate, and by our fee payer where that pays. */
  transaction: string;
  /** Null where the provider's fee payer has still to sign: the first signature names a transaction. */
  signature: string | null;
  /** Above this block height it can no longer land; an upper bound where the blockhash is the provider's. */
  lastValidBlockHeight: number;
}

/** The transfer that an x402 facilitator takes, signs as fee payer and sends. */
export interface X402Transfer {
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
  /** Where the approval landed. */
  minContextSlot: number;
}

/** An x402 transfer to hand to the seller. */
export interface BuiltX402Transfer {
  /** Base64 of the transaction, signed by the delegate; the facilitator's signature, which is the first, is empty. */
  transaction: string;
  memo: string;
  /** Base58. No other transaction has it, so that it finds this one's landing. */
  delegateSignature: string;
  /** Above this block height it can no longer land; an upper bound where the blockhash is the seller's. */
  lastValidBlockHeight: number;
}

/** A transaction ready to be sent, any number of times. */
export interface SignedTransaction {
  signature: string;
  bytes: Uint8Array;
  /** Above this block height it can no longer land. */
  lastValidBlockHeight: number;
}

/** What became of a sent transaction, as far as it is known. */
export type Outcome =
  | { kind: 'landed'; slot: number }
  | { kind: 'refused'; slot: number; refusal: Refusal }
  | { kind: 'failed'; slot: number; failure: Failure }
  /** Its blockhash is too old and no node has seen it land. */
  | { kind: 'expired' }
  /** Not known when the time was up. */
  | { kind: 'unknown' }
  /** No node could be reached, so this time it was not sent. An earlier sending of the same bytes may still land. */
  | { kind: 'not_sent' };

/** What can be said of an address as a recipient of USDC. */
export type Recipient = { kind: 'token_account'; owner: string } | { kind: 'invalid'; reason: string };

/** A policy as the chain holds it. Money in micro-USDC; null means no limit, or everybody. */
export interface ChainPolicy {
  version: bigint;
  maxSingleTransfer: bigint | null;
  maxDailySpend: bigint | null;
  /** Most of one session's cap, or of one purse. */
  maxSessionCap: bigint | null;
  escalationThreshold: bigint | null;
  /** Base58 addresses. */
  allowedCounterparties: string[] | null;
  categories: string[] | null;
  requireMemo: boolean;
  paused: boolean;
  /** By the chain's clock. */
  updatedAt: Date;
}

/** The fields of a policy to change; what is not named stays. */
export type PolicyChange = Partial<Omit<ChainPolicy, 'version' | 'updatedAt'>>;

/** What came of a change. A mismatch: the policy, or the key that may change it, is not what was read. */
export type PolicyChangeOutcome = { kind: 'changed'; slot: number } | { kind: 'version_mismatch' };

/** What an account may still spend, by the chain's clock. Money in micro-USDC; null where there is no limit. */
export interface Spending {
  balance: bigint;
  limit: bigint | null;
  spent: bigint;
  reserved: bigint;
  remaining: bigint | null;
  releases: { at: Date; microUsdc: bigint }[];
  policyVersion: bigint;
  asOf: Date;
}

/** An account as the chain holds it. */
export interface ChainAccount extends AccountAddresses {
  creator: string;
  operator: string;
  authority: string;
  mint: string;
  reserved: bigint;
  openSessions: number;
  /** Sessions that ended while their payee could not receive what it is owed. */
  owedSessions: number;
  /** The charge whose key may move money now. */
  openCharge: OpenCharge | null;
  /** Highest sequence number spent. */
  highestSeq: bigint;
  /** The numbers of the replay window that were spent, ascending. */
  spentNumbers(): bigint[];
  /** Whether `seq` was spent; numbers below the replay window count as spent. */
  isSpent(seq: bigint): boolean;
}

/** How an account was closed. */
export interface AccountClosing {
  signature: string;
  /** Micro-USDC that were left in it, and moved to `destination`. */
  swept: bigint;
  /** Token account. */
  destination: string;
}

/** The network in use and what the service relies on there. */
export interface ChainIdentity {
  genesisHash: string;
  cluster: 'mainnet-beta' | 'devnet' | 'testnet' | 'localnet';
  programId: string;
  usdcMint: string;
}
