/** The rules of a policy, named as the API names them, in the order in which the program asks them. */
export const RULES = [
  'paused',
  'max_single_transfer',
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
  /** Highest sequence number spent. */
  highestSeq: bigint;
  /** The numbers of the replay window that were spent, ascending. */
  spentNumbers(): bigint[];
  /** Whether `seq` was spent; numbers below the replay window count as spent. */
  isSpent(seq: bigint): boolean;
}

/** The network in use and what the service relies on there. */
export interface ChainIdentity {
  genesisHash: string;
  cluster: 'mainnet-beta' | 'devnet' | 'testnet' | 'localnet';
  programId: string;
  usdcMint: string;
}
