/** A transaction from the wire, parsed once and validated, so that LiteSVM never gets a malformed one. */
import { KEY_BYTES, keyOf, toBase58 } from './bytes';

/** The largest transaction: it must fit into one packet. */
export const MAX_TRANSACTION_BYTES = 1_232;
const SIGNATURE_BYTES = 64;
const VERSION_FLAG = 0x80;

export interface Instruction {
  programIndex: number;
  accounts: Buffer;
  data: Buffer;
}

export interface Transaction {
  bytes: Buffer;
  /** The first signature, which identifies the transaction, as a `keyOf`. */
  id: string;
  signatures: Buffer[];
  message: Message;
}

export interface Message {
  version: 'legacy' | 0;
  signerCount: number;
  readonlySignerCount: number;
  readonlyOtherCount: number;
  keys: Buffer[];
  blockhash: string;
  instructions: Instruction[];
}

/** The bytes are not a transaction. */
export class MalformedTransaction extends Error {}

/** The bytes are a transaction that contradicts itself. */
export class UnsaneTransaction extends Error {}

/** Parses a signed transaction. Throws `MalformedTransaction` or `UnsaneTransaction`. */
export function parseTransaction(bytes: Buffer): Transaction {
  const reader = new Reader(bytes);
  const signatures = times(reader.length(), () => reader.take(SIGNATURE_BYTES));
  const message = parseMessage(reader.rest());
  if (signatures.length !== message.signerCount) throw new UnsaneTransaction('signatures do not match the signers');
  return { bytes, id: keyOf(signatures[0]!), signatures, message };
}

/** Parses a message: the part that is signed. Throws `MalformedTransaction` or `UnsaneTransaction`. */
export function parseMessage(bytes: Buffer): Message {
  const reader = new Reader(bytes);
  const version = readVersion(reader);
  const [signerCount, readonlySignerCount, readonlyOtherCount] = [reader.byte(), reader.byte(), reader.byte()];
  const keys = times(reader.length(), () => reader.take(KEY_BYTES));
  const blockhash = toBase58(reader.take(KEY_BYTES));
  const instructions = times(reader.length(), () => ({
    programIndex: reader.byte(),
    accounts: reader.take(reader.length()),
    data: reader.take(reader.length()),
  }));
  if (version === 0 && reader.length() > 0) {
    throw new UnsaneTransaction('address lookup tables are not supported by this chain');
  }
  if (!reader.isAtEnd()) throw new MalformedTransaction('bytes follow the end of the message');
  const message = {
    version,
    signerCount,
    readonlySignerCount,
    readonlyOtherCount,
    keys,
    blockhash,
    instructions,
  };
  checkSanity(message);
  return message;
}

/** Whether the transaction may change the account at this index. */
export function isWritable(message: Message, index: number): boolean {
  const { signerCount, readonlySignerCount, readonlyOtherCount, keys } = message;
  if (message.instructions.some(({ programIndex }) => programIndex === index)) return false;
  return index < signerCount ? index < signerCount - readonlySignerCount : index < keys.length - readonlyOtherCount;
}

function readVersion(reader: Reader): 'legacy' | 0 {
  if ((reader.peek() & VERSION_FLAG) === 0) return 'legacy';
  const version = reader.byte() & ~VERSION_FLAG;
  if (version !== 0) throw new MalformedTransaction(`unknown transaction version ${version}`);
  return 0;
}

function checkSanity(message: Message): void {
  const { signerCount, readonlySignerCount, readonlyOtherCount, keys, instructions } = message;
  const sane =
    readonlySignerCount < signerCount &&
    signerCount + readonlyOtherCount <= keys.length &&
    instructions.every(
      ({ programIndex, accounts }) => programIndex > 0 && programIndex < keys.length && accounts.every((index) => index < keys.length),
    );
  if (!sane) throw new UnsaneTransaction('Transaction failed to sanitize accounts offsets correctly');
}

function times<T>(count: number, read: () => T): T[] {
  const items: T[] = [];
  for (let n = 0; n < count; n++) items.push(read());
  return items;
}

class Reader {
  private offset = 0;

  constructor(private readonly bytes: Buffer) {}

  peek(): number {
    if (this.offset >= this.bytes.length) throw new MalformedTransaction('Attempting to read 1 bytes');
    return this.bytes[this.offset]!;
  }

  byte(): number {
    const byte = this.peek();
    this.offset += 1;
    return byte;
  }

  take(length: number): Buffer {
    if (this.offset + length > this.bytes.length) throw new MalformedTransaction(`Attempting to read ${length} bytes`);
    this.offset += length;
    return this.bytes.subarray(this.offset - length, this.offset);
  }

  /** Solana's short_vec length: seven bits a byte, at most three bytes, in the shortest form. */
  length(): number {
    let value = 0;
    for (let position = 0; position < 3; position++) {
      const byte = this.byte();
      value |= (byte & 0x7f) << (7 * position);
      if ((byte & 0x80) !== 0) continue;
      if ((byte === 0 && position > 0) || value > 0xffff) break;
      return value;
    }
    throw new MalformedTransaction('a length is not written as it must be');
  }

  rest(): Buffer {
    return this.take(this.bytes.length - this.offset);
  }

  isAtEnd(): boolean {
    return this.offset === this.bytes.length;
  }
}
