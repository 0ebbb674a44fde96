/** Acceptances: a key agrees, by a signature outside of any transaction, to become the operator of the accounts of another. */
import { Ed25519Program, type TransactionInstruction } from '@solana/web3.js';
import bs58 from 'bs58';
import { isSignedBy } from '../tx/signing/ed25519';

/** The program compares the text up to the nonce: `PREFIX` of programs/agent-policy/src/shared/acceptance.rs. */
const PREFIX = 'agent-policy: become the operator of the accounts of ';
const NONCE_BYTES = 16;

/** The acceptance of an operator's accounts by a key. */
export interface Acceptance {
  /** The address of the key that accepts. */
  address: string;
  /** The text of `acceptanceText`. */
  text: string;
  /** The 64-byte ed25519 signature of the text by the key. */
  signature: Uint8Array;
}

/** The text that a key signs to accept the accounts of `oldOperator`. The nonce makes each one different. */
export function acceptanceText(oldOperator: string, nonce: Uint8Array): string {
  if (nonce.length !== NONCE_BYTES) throw new Error(`the nonce of an acceptance has ${NONCE_BYTES} bytes, not ${nonce.length}`);
  return `${PREFIX}${Buffer.from(bs58.decode(oldOperator)).toString('hex')}; nonce ${Buffer.from(nonce).toString('hex')}`;
}

/** Whether the signature is the key's. */
export function isAccepted({ address, text, signature }: Acceptance): boolean {
  return isSignedBy(address, Buffer.from(text), signature);
}

/** The instruction by which the runtime verifies an acceptance; it must stand before those that use it. */
export function verifyAcceptance({ address, text, signature }: Acceptance): TransactionInstruction {
  return Ed25519Program.createInstructionWithPublicKey({ publicKey: bs58.decode(address), message: Buffer.from(text), signature });
}
