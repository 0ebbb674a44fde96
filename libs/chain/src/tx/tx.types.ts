import type { Violation } from '../policy/policy.types';

/** Why a transaction failed other than by a policy violation. Reasons are the program's error names in snake_case. */
export type Failure = { reason: string; detail: string };

/** How final a transaction is by its status. */
export type TransactionFinality = 'finalized' | 'confirmed' | 'missing';

/** The outcome of a simulation. Nothing was sent. `policyVersion`: of the policy that allowed it, if the program reports it. */
export type SimulationOutcome =
  | { kind: 'allowed'; policyVersion?: bigint }
  | { kind: 'violation'; violation: Violation }
  | { kind: 'failed'; failure: Failure };

/** A signed transaction, which may be submitted any number of times. */
export interface SignedTransaction {
  signature: string;
  bytes: Uint8Array;
  /** Above this block height it can no longer land. */
  lastValidBlockHeight: number;
  /** The fee that the fee payer pays once it lands, in lamports. */
  feeLamports: bigint;
}

/** The outcome of a submitted transaction, as far as it is known. */
export type Outcome =
  | { kind: 'landed'; slot: number }
  | { kind: 'violation'; slot: number; violation: Violation }
  | { kind: 'failed'; slot: number; failure: Failure }
  /** Its blockhash has expired, and a node that has reached `asOfSlot` has not seen it land: the state at this slot is final for it. */
  | { kind: 'expired'; asOfSlot: number }
  /** Not known within the time-out. */
  | { kind: 'unknown' }
  /** No node could be reached, so this call did not submit it. An earlier submission of the same bytes may still land. */
  | { kind: 'not_sent' };

/** When a transaction counts as settled. */
export type SettlementCommitment = 'confirmed' | 'finalized';
