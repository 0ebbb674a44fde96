/** Keys that are held outside of the service: their holder signs a transaction, and the service sends exactly that one. */
import { VersionedMessage, VersionedTransaction } from '@solana/web3.js';
import { isSignedBy } from './ed25519';
import type { Signer } from './signer';

/** A transaction for the holder of a key to sign. It has no signatures yet, so that the service alone can send it. */
export interface UnsignedTransaction {
  /** The serialized transaction, with empty signatures. */
  bytes: Uint8Array;
  /** Above this block height it can no longer land. */
  lastValidBlockHeight: number;
}

/** A transaction that the holder of a key has signed. */
export interface HeldSignature {
  transaction: UnsignedTransaction;
  /** The 64-byte ed25519 signature of the transaction's message. */
  signature: Uint8Array;
}

/** An action needs the signature of a key that is held outside of the service. Nothing was sent. */
export class SignatureRequiredError extends Error {
  override readonly name = 'SignatureRequiredError';

  constructor(
    readonly transaction: UnsignedTransaction,
    /** The address of the key. */
    readonly signer: string,
  ) {
    super(`the signature of ${signer} is needed`);
  }
}

/** A key that is held outside of the service. It signs what its holder has signed already, once, and nothing else. */
export class ExternalSigner implements Signer {
  constructor(
    readonly address: string,
    private held: HeldSignature | null = null,
  ) {}

  /** Whether there is a signature that was not used yet. */
  get hasSignature(): boolean {
    return this.held !== null;
  }

  /** The signature of the holder, which is given out once. */
  take(): HeldSignature | null {
    const { held } = this;
    this.held = null;
    return held;
  }

  /** @throws Error: only `signTransaction` knows which transaction was signed. */
  sign(): Promise<Uint8Array> {
    return Promise.reject(new Error('a key that is held outside of the service signs whole transactions'));
  }
}

/** Whether a key is held outside of the service, and its holder has signed nothing that is still to be sent. */
export function lacksSignature(signer: Signer): boolean {
  return signer instanceof ExternalSigner && !signer.hasSignature;
}

/** Why a signed transaction is not what the holder of a key was asked to sign. */
export class WrongSignatureError extends Error {
  override readonly name = 'WrongSignatureError';
}

/**
 * Reads the signature of `address` from a signed transaction.
 * @throws WrongSignatureError if the bytes are not a transaction, the message is another one, or the signature is not valid.
 */
export function signatureOf(signed: Uint8Array, unsigned: UnsignedTransaction, address: string): Uint8Array {
  let given: VersionedTransaction;
  try {
    given = VersionedTransaction.deserialize(signed);
  } catch {
    throw new WrongSignatureError('is not a serialized transaction');
  }
  if (!Buffer.from(given.serialize()).equals(signed)) throw new WrongSignatureError('has bytes behind the transaction');
  const message = messageOf(unsigned);
  const expected = message.serialize();
  if (!Buffer.from(given.message.serialize()).equals(expected))
    throw new WrongSignatureError('is not the transaction that was to be signed');
  const signature = given.signatures[message.staticAccountKeys.findIndex((key) => key.toBase58() === address)];
  if (!signature || !isSignedBy(address, expected, signature)) throw new WrongSignatureError(`has no valid signature of ${address}`);
  return signature;
}

/** The message of a serialized transaction. */
export function messageOf({ bytes }: UnsignedTransaction): VersionedMessage {
  return VersionedTransaction.deserialize(bytes).message;
}
