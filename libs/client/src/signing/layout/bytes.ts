/** Bytes that are read once, from the start to the end. */
import bs58 from 'bs58';
import { UnreadableTransactionError } from '../errors';

const KEY_BYTES = 32;
const BITS_PER_COMPACT_BYTE = 7;
const MAX_COMPACT_BYTES = 3;
const MAX_U16 = 0xffff;

export class Bytes {
  /** `part` names them in errors; `at` is where they begin in the transaction. */
  constructor(
    private readonly bytes: Uint8Array,
    private part: string,
    private at = 0,
    private readonly end = bytes.length,
  ) {}

  /** The next byte's place in the transaction. */
  get position(): number {
    return this.at;
  }

  get left(): number {
    return this.end - this.at;
  }

  /** Names what follows in errors. */
  rename(part: string): this {
    this.part = part;
    return this;
  }

  fail(problem: string): never {
    throw new UnreadableTransactionError(`${this.part}, byte ${this.at}`, problem);
  }

  /** @throws UnreadableTransactionError if bytes are left */
  finish(): void {
    if (this.left > 0) this.fail(`${this.left} bytes too many`);
  }

  take(count: number): Uint8Array {
    if (count > this.left) this.fail(`${count} bytes were expected, ${this.left} are left`);
    this.at += count;
    return this.bytes.slice(this.at - count, this.at);
  }

  /** The next bytes, to be read on their own. */
  section(count: number, part: string): Bytes {
    const start = this.at;
    this.take(count);
    return new Bytes(this.bytes, part, start, this.at);
  }

  /** An unsigned number of at most four bytes, the lowest first. */
  number(bytes: 1 | 2 | 4): number {
    return Number(this.bigint(bytes));
  }

  /** An unsigned number, the lowest byte first. */
  bigint(bytes: number): bigint {
    return this.take(bytes).reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
  }

  bool(): boolean {
    const byte = this.number(1);
    if (byte > 1) this.fail(`${byte} is neither yes (1) nor no (0)`);
    return byte === 1;
  }

  /** An address, in base58. */
  address(): string {
    return bs58.encode(this.take(KEY_BYTES));
  }

  /** A number of seven bits a byte, the lowest first, in as few bytes as it needs. */
  compact(): number {
    let value = 0;
    for (let index = 0; index < MAX_COMPACT_BYTES; index++) {
      const byte = this.number(1);
      value |= (byte & 0x7f) << (BITS_PER_COMPACT_BYTE * index);
      if (byte >= 0x80) continue;
      if ((index > 0 && byte === 0) || value > MAX_U16) break;
      return value;
    }
    return this.fail('a length is not in its one form');
  }
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
