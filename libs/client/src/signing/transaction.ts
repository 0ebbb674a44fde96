/** Transactions in words. */
import { readInstruction } from './instructions';
import { PROGRAM_ID } from './layouts';
import { readMessage, withSignature } from './message';
import type { TransactionReading } from './reading';

export interface ReadOptions {
  /** The address of agent_policy if it was deployed at another one: the service's setting PROGRAM_ID. */
  programId?: string;
}

/**
 * Reads a serialized transaction, in base64. It knows agent_policy (what the operator's key signs), the compute budget's limit and price,
 * the acceptance of accounts, and the token account of a channel purse's key, and refuses everything else: other programs and instructions,
 * other numbers of accounts, address lookup
 * tables, values outside of their type, bytes too few or too many.
 * @throws UnreadableTransactionError, which says what and where
 */
export function readTransaction(base64: string, { programId = PROGRAM_ID }: ReadOptions = {}): TransactionReading {
  const { bytes, messageAt, signers, writable, instructions: raw } = readMessage(base64);
  const instructions = raw.map((one) => readInstruction(one, programId));
  const sentences = instructions.filter(({ program }) => program !== 'compute_budget').map(({ sentence }) => sentence);
  return { signers, feePayer: signers[0] ?? '', writable, instructions, sentences, message: bytes.slice(messageAt) };
}

/**
 * The transaction, in base64, with a signer's signature of its `message`: 64 bytes of ed25519. Other signatures stay.
 * @throws UnreadableTransactionError; RangeError if the key is not a signer, or the signature has another length
 */
export function addSignature(base64: string, address: string, signature: Uint8Array): string {
  return withSignature(readMessage(base64), address, signature);
}
