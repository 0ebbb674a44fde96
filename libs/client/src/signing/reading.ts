/** The readable parts of a transaction. */
import type { Operations } from './layouts';

/** An instruction of agent_policy that the operator's key signs. */
export type Operation = keyof Operations;

interface Common {
  /** Its effects, in plain words. */
  sentence: string;
}

/** An instruction of agent_policy that the operator's key signs. Addresses are base58, amounts bigint in micro-USDC. */
export type PolicyInstruction = { [Name in Operation]: { program: 'agent_policy'; name: Name } & Operations[Name] & Common }[Operation];

/** How many compute units the transaction has, or what the fee payer pays for each. */
export interface BudgetInstruction extends Common {
  program: 'compute_budget';
  name: 'set_compute_unit_limit' | 'set_compute_unit_price' | 'set_loaded_accounts_data_size_limit';
  accounts: Record<string, never>;
  args: { value: bigint };
}

/** The proof that a key has accepted the accounts of an operator. */
export interface AcceptanceInstruction extends Common {
  program: 'ed25519';
  name: 'verify_acceptance';
  accounts: Record<string, never>;
  args: { new_operator: string; operator: string };
}

/** The preparation of the token account of a channel purse's key. */
export interface KeyAccountInstruction extends Common {
  program: 'token';
  name: 'create_token_account' | 'approve' | 'set_close_authority';
  accounts: Record<string, string>;
  args: Record<string, never>;
}

export type Instruction = PolicyInstruction | BudgetInstruction | AcceptanceInstruction | KeyAccountInstruction;

/** The effects of a transaction, as its bytes say. Addresses are base58. */
export interface TransactionReading {
  /** The keys that must sign, in the order of their signatures. */
  signers: string[];
  /** The first signer: it pays the fee. */
  feePayer: string;
  /** The accounts that can change or be debited. */
  writable: string[];
  instructions: Instruction[];
  /** Its effects, without the compute budget: a sentence for each instruction. */
  sentences: string[];
  /** The bytes that a signature signs. */
  message: Uint8Array;
}

/** The instructions of agent_policy in a transaction, in their order. */
export function operationsOf({ instructions }: Pick<TransactionReading, 'instructions'>): PolicyInstruction[] {
  return instructions.filter((one): one is PolicyInstruction => one.program === 'agent_policy');
}
