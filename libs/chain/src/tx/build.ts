/** Builds and signs transactions, and explains their errors. */
import {
  ComputeBudgetProgram,
  Ed25519Program,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
  type TransactionError,
  type VersionedMessage,
} from '@solana/web3.js';
import bs58 from 'bs58';
import type { Violation, Rule } from '../policy/policy.types';
import type { Failure, SignedTransaction } from './tx.types';
import { RULES } from '../policy/policy.types';
import { ExternalSigner, messageOf, SignatureRequiredError } from './signing/external-signer';
import type { Signer } from './signing/signer';
import type { Blockhash } from '../rpc/blockhashes';
import { feeLamports } from './fees/fees';
import { findEvent, loggedEvents } from '../program/events';
import { NO_LIMIT, errorMessage, errorName, toBigint } from '../program/idl';

/**
 * Anchor's ConstraintMut. The runtime makes sysvars, builtin programs and programs that the transaction calls read-only, and of all
 * writable accounts only a transfer's destination is an address that callers name.
 */
const NOT_WRITABLE = 2000;
const UNWRITABLE_DESTINATION: Failure = { reason: 'invalid_destination', detail: 'this address cannot be written to' };

/** The longest transaction that nodes accept. */
const MAX_TRANSACTION_BYTES = 1_232;
/** Kinds of compute budget instructions, which web3.js does not export: `ComputeBudgetInstruction` of solana-compute-budget-interface. */
const COMPUTE_UNIT_LIMIT = 2;
const COMPUTE_UNIT_PRICE = 3;
const LOADED_ACCOUNTS_LIMIT = 4;
/**
 * The most that a transaction loads, programs included: about twice what this program and the token program take. A leader reserves 8 compute
 * units for each 32 KiB of it until the transaction has run: 512, instead of 16,384 for a transaction without this limit (SIMD-0170, SIMD-0186).
 */
export const MAX_LOADED_BYTES = 2 * 1024 * 1024;
const LOADED_LIMIT = new TransactionInstruction({
  programId: ComputeBudgetProgram.programId,
  keys: [],
  data: loadedLimit(MAX_LOADED_BYTES),
});

function loadedLimit(bytes: number): Buffer {
  const data = Buffer.alloc(5, LOADED_ACCOUNTS_LIMIT);
  data.writeUInt32LE(bytes, 1);
  return data;
}

export interface Draft {
  instructions: TransactionInstruction[];
  feePayer: PublicKey;
  /** A constant per instruction, so that the transaction that is simulated is the one that is sent. */
  computeUnits: number;
  microLamportsPerUnit: bigint;
}

/**
 * The unsigned transaction, ready for simulation or signing. It bounds what it loads, unless a policy with the longest lists leaves no room
 * for that.
 */
export function compile(draft: Draft, blockhash: string): VersionedTransaction {
  const limit = ComputeBudgetProgram.setComputeUnitLimit({ units: draft.computeUnits });
  const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: draft.microLamportsPerUnit });
  const budget = draft.microLamportsPerUnit > 0n ? [limit, price] : [limit];
  const compiled = (instructions: TransactionInstruction[]) =>
    new VersionedTransaction(
      new TransactionMessage({ payerKey: draft.feePayer, recentBlockhash: blockhash, instructions }).compileToLegacyMessage(),
    );
  const bounded = compiled([...budget, LOADED_LIMIT, ...draft.instructions]);
  return isSendable(bounded) ? bounded : compiled([...budget, ...draft.instructions]);
}

/** Whether nodes accept a transaction of this length. */
export function isSendable(transaction: VersionedTransaction): boolean {
  try {
    return transaction.serialize().length <= MAX_TRANSACTION_BYTES;
  } catch (error) {
    // The library serializes a message into a buffer of the largest size.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * Signs with all the keys that the instructions require. Serializing does not verify the signatures. `mostPrice`: of a compute unit, for so
 * many, in what was signed outside.
 * @throws SignatureRequiredError if a key is held outside of the service, and its holder has not signed these instructions.
 */
export async function signTransaction(
  draft: Draft,
  recent: Blockhash,
  signers: Signer[],
  mostPrice: (computeUnits: number) => bigint = () => draft.microLamportsPerUnit,
): Promise<SignedTransaction> {
  const external = signers.find((signer) => signer instanceof ExternalSigner);
  const { transaction, lastValidBlockHeight, priced } = external
    ? heldTransaction(draft, recent, external, mostPrice)
    : { transaction: compile(draft, recent.blockhash), lastValidBlockHeight: recent.lastValidBlockHeight, priced: draft };
  const { message } = transaction;
  const bytes = message.serialize();
  for (const signer of signers) {
    if (signer !== external) transaction.addSignature(new PublicKey(signer.address), await signer.sign(bytes));
  }
  const [first] = transaction.signatures;
  if (!first) throw new Error('a transaction has at least its fee payer’s signature');
  const signed = { signature: bs58.encode(first), bytes: transaction.serialize(), lastValidBlockHeight };
  return { ...signed, feeLamports: feeOf(priced, message.header.numRequiredSignatures) };
}

/** The fee of a draft with this number of signatures. Those that the runtime verifies in an instruction are paid for, too. */
export function feeOf({ instructions, computeUnits, microLamportsPerUnit }: Draft, signatures: number): bigint {
  const verified = instructions.filter(({ programId }) => programId.equals(Ed25519Program.programId)).map(({ data }) => data[0] ?? 0);
  return feeLamports({ signatures: verified.reduce((sum, one) => sum + one, signatures), computeUnits, microLamportsPerUnit });
}

/** The draft under the blockhash, the compute limit and the price that an external key's holder signed it with, and with that signature. */
function heldTransaction(
  draft: Draft,
  recent: Blockhash,
  external: ExternalSigner,
  mostPrice: (computeUnits: number) => bigint,
): { transaction: VersionedTransaction; lastValidBlockHeight: number; priced: Draft } {
  const held = external.take();
  const message = held && messageOf(held.transaction);
  const priced = { ...draft, ...(message && budgetOf(message)) };
  const transaction = message && compile(priced, message.recentBlockhash);
  const isTooDear = priced.microLamportsPerUnit > mostPrice(priced.computeUnits);
  if (!held || !transaction || isTooDear || !Buffer.from(transaction.message.serialize()).equals(message.serialize())) {
    const bytes = compile(draft, recent.blockhash).serialize();
    throw new SignatureRequiredError({ bytes, lastValidBlockHeight: recent.lastValidBlockHeight }, external.address);
  }
  transaction.addSignature(new PublicKey(external.address), held.signature);
  return { transaction, lastValidBlockHeight: held.transaction.lastValidBlockHeight, priced };
}

/** The compute limit and the price of a message that `compile` made: the numbers behind the kinds of its compute budget instructions. */
function budgetOf({ compiledInstructions, staticAccountKeys }: VersionedMessage): Pick<Draft, 'computeUnits' | 'microLamportsPerUnit'> {
  const numbersOf = (wanted: number): Buffer | undefined => {
    const found = compiledInstructions.find(
      ({ programIdIndex, data: [kind] }) => kind === wanted && staticAccountKeys[programIdIndex]?.equals(ComputeBudgetProgram.programId),
    );
    return found && Buffer.from(found.data.subarray(1));
  };
  return {
    computeUnits: numbersOf(COMPUTE_UNIT_LIMIT)?.readUInt32LE() ?? 0,
    microLamportsPerUnit: numbersOf(COMPUTE_UNIT_PRICE)?.readBigUInt64LE() ?? 0n,
  };
}

/** Explains a failed transaction: a policy violation, or another failure. */
export function explain(programId: PublicKey, error: TransactionError, logs: string[]): { violation: Violation } | { failure: Failure } {
  const code = customCode(error);
  const name = code === undefined ? undefined : errorName(code);
  const violated = name === undefined ? undefined : ruleOf(name);
  if (violated) return { violation: { ...violated, ...numbers(programId, logs) } };
  if (code === undefined || !failedIn(logs, programId)) return { failure: { reason: 'transaction_failed', detail: JSON.stringify(error) } };
  return { failure: code === NOT_WRITABLE ? UNWRITABLE_DESTINATION : { reason: errorName(code), detail: errorMessage(code) } };
}

/** Scopes of rules, by what the name of an error begins with: the longer one first. */
const SCOPES = ['fleet_limits', 'fleet'] as const;

/** The rule and the scope that an error names; undefined for an error that is not a rule. */
function ruleOf(name: string): Pick<Violation, 'rule' | 'scope'> | undefined {
  const scope = SCOPES.find((one) => name.startsWith(`${one}_`));
  const bare = scope ? name.slice(scope.length + 1) : name;
  const rule = RULES.find((one): one is Rule => one === bare);
  return rule && { rule, scope };
}

/** The version of the policy that allowed a simulated order, by the event that it logged. */
export function allowingVersion(programId: PublicKey, logs: string[]): bigint | undefined {
  for (const { data } of loggedEvents(programId, logs)) if ('policy_version' in data) return toBigint(data.policy_version);
  return undefined;
}

/** The code of a failed instruction, `{ InstructionError: [index, { Custom: code }] }`. */
function customCode(error: TransactionError): number | undefined {
  if (typeof error !== 'object' || !('InstructionError' in error) || !Array.isArray(error.InstructionError)) return undefined;
  const reason: unknown = error.InstructionError[1];
  return typeof reason === 'object' && reason !== null && 'Custom' in reason && typeof reason.Custom === 'number'
    ? reason.Custom
    : undefined;
}

/** Whether the program itself failed, and not one that it called. Without logs the code alone decides. */
function failedIn(logs: string[], programId: PublicKey): boolean {
  const first = logs.find((line) => /^Program \w+ failed/.test(line));
  return first === undefined || first.startsWith(`Program ${programId.toBase58()} `);
}

/** The numbers of the `PolicyViolated` event that the program logs before it returns the error. */
function numbers(programId: PublicKey, logs: string[]): Omit<Violation, 'rule' | 'scope'> {
  const numbers = findEvent(loggedEvents(programId, logs), 'PolicyViolated', () => true);
  if (!numbers) return {};
  const { limit, remaining, available_at: availableAt } = numbers;
  const optional = (value: unknown) => (toBigint(value) === NO_LIMIT ? undefined : toBigint(value));
  const at = toBigint(availableAt);
  return {
    limit: optional(limit),
    attempted: toBigint(numbers.attempted),
    remaining: optional(remaining),
    reserved: toBigint(numbers.reserved),
    availableAt: at > 0n ? new Date(Number(at) * 1000) : undefined,
    policyVersion: toBigint(numbers.policy_version),
  };
}
