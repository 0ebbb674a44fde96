/**
 * Serialized transactions of Solana: the number of signatures, the signatures, and the message. A message has its version (absent in legacy
 * messages), three counts, the account keys (signers first), a blockhash, and the instructions.
 */
import { Bytes } from './layout/bytes';
import { UnreadableTransactionError } from './errors';

const SIGNATURE_BYTES = 64;
const BLOCKHASH_BYTES = 32;
/** The top bit of a message's first byte marks a version; the only one is 0. */
const VERSION_0 = 0x80;
/** The most bytes of a transaction. */
const MAX_BYTES = 1_232;

export interface RawInstruction {
  /** Its place, from 1 on. */
  position: number;
  program: string;
  accounts: string[];
  data: Bytes;
}

export interface Message {
  /** The whole transaction. */
  bytes: Uint8Array;
  /** The offset of the first signature. */
  signaturesAt: number;
  /** The offset of the message: from there on, all bytes are signed. */
  messageAt: number;
  /** In the order of their signatures. The first one pays the fee. */
  signers: string[];
  /** The accounts that the transaction may change or debit. No program can change any other, whatever it does. */
  writable: string[];
  instructions: RawInstruction[];
}

/** Reads a transaction of either version, without address lookup tables. @throws UnreadableTransactionError */
export function readMessage(base64: string): Message {
  const bytes = bytesOf(base64);
  const reader = new Bytes(bytes, 'the signatures');
  const signatures = reader.compact();
  const signaturesAt = reader.position;
  reader.take(signatures * SIGNATURE_BYTES);
  const messageAt = reader.position;
  reader.rename('the header');
  const first = reader.number(1);
  if (first > VERSION_0) reader.fail('the version of the message is unknown');
  const required = first === VERSION_0 ? reader.number(1) : first;
  const [readOnlySigners, readOnlyOthers] = [reader.number(1), reader.number(1)];
  const keys = readKeys(reader);
  if (required !== signatures) reader.fail(`${signatures} signatures have room, and the message requires ${required}`);
  if (readOnlySigners >= required || required + readOnlyOthers > keys.length) reader.fail('the counts of the header contradict each other');
  reader.take(BLOCKHASH_BYTES);
  const instructions = readInstructions(reader, keys);
  if (first === VERSION_0 && reader.rename('the address lookup tables').compact() > 0) reader.fail('they hide which accounts are used');
  reader.rename('the end').finish();
  const isWritable = (index: number): boolean =>
    index < required ? index < required - readOnlySigners : index < keys.length - readOnlyOthers;
  const writable = keys.filter((_, index) => isWritable(index));
  return { bytes, signaturesAt, messageAt, signers: keys.slice(0, required), writable, instructions };
}

function readKeys(reader: Bytes): string[] {
  const count = reader.rename('the account keys').compact();
  const keys = Array.from({ length: count }, () => reader.address());
  if (new Set(keys).size < count) reader.fail('a key is there twice');
  return keys;
}

function readInstructions(reader: Bytes, keys: string[]): RawInstruction[] {
  const count = reader.rename('the instructions').compact();
  const keyAt = (index: number): string => keys[index] ?? reader.fail(`there is no account key ${index}`);
  return Array.from({ length: count }, (_, index) => {
    const part = `instruction ${index + 1}`;
    const program = keyAt(reader.rename(part).number(1));
    const accounts = Array.from(reader.take(reader.compact()), keyAt);
    return { position: index + 1, program, accounts, data: reader.section(reader.compact(), part) };
  });
}

/** Also texts that a lenient decoder accepts, with spaces or without padding, are refused: a signer could read them differently. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const fail = (problem: string): never => {
    throw new UnreadableTransactionError('the text', problem);
  };
  if (base64.length > Math.ceil(MAX_BYTES / 3) * 4) fail(`a transaction has at most ${MAX_BYTES} bytes`);
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)) fail('it is not base64');
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  if (bytes.length > MAX_BYTES) fail(`it has ${bytes.length} bytes, a transaction has at most ${MAX_BYTES}`);
  return bytes;
}

/** The transaction with a signature of 64 bytes in the place of a signer, in base64. @throws RangeError for any other key or length */
export function withSignature({ bytes, signaturesAt, signers }: Message, address: string, signature: Uint8Array): string {
  const index = signers.indexOf(address);
  if (index < 0) throw new RangeError(`${address} is not a signer of this transaction: its signers are ${signers.join(', ')}`);
  if (signature.length !== SIGNATURE_BYTES) throw new RangeError(`a signature has ${SIGNATURE_BYTES} bytes, not ${signature.length}`);
  const signed = Uint8Array.from(bytes);
  signed.set(signature, signaturesAt + index * SIGNATURE_BYTES);
  return btoa(Array.from(signed, (byte) => String.fromCharCode(byte)).join(''));
}
