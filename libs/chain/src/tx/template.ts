/** Messages of one instruction between the same accounts: compiled once, of which only blockhash and arguments change. */
import { PublicKey } from '@solana/web3.js';
import bs58 from 'bs58';
import type { Blockhash } from '../rpc/blockhashes';
import { compile, type Draft, feeOf } from './build';
import type { Signer } from './signer';
import type { SignedTransaction } from './tx.types';

const BLOCKHASH_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** Lengths below this are one byte in a message. */
const ONE_BYTE = 128;
/** Of a message that is simulated: the node replaces it. */
const NO_BLOCKHASH = Buffer.alloc(BLOCKHASH_BYTES);

export class MessageTemplate {
  /** Up to the blockhash: the header and the addresses. */
  private readonly head: Buffer;
  /** From the blockhash up to the length of the last instruction's data. */
  private readonly middle: Buffer;
  private readonly signers: string[];
  private readonly feeLamports: bigint;

  /** @param draft whose last instruction is the one with other data each time. */
  constructor(draft: Draft) {
    const { message } = compile(draft, PublicKey.default.toBase58());
    const bytes = Buffer.from(message.serialize());
    const keys = message.staticAccountKeys;
    const { length } = draft.instructions.at(-1)?.data ?? [];
    const blockhashAt = 3 + lengthOf(keys.length).length + keys.length * PublicKey.default.toBytes().length;
    this.head = bytes.subarray(0, blockhashAt);
    this.middle = bytes.subarray(blockhashAt + BLOCKHASH_BYTES, bytes.length - length - lengthOf(length).length);
    this.signers = keys.slice(0, message.header.numRequiredSignatures).map((key) => key.toBase58());
    this.feeLamports = feeOf(draft, this.signers.length);
  }

  /** The transaction with these arguments, unsigned, for a simulation. */
  unsigned(data: Buffer): Uint8Array {
    return Buffer.concat([
      lengthOf(this.signers.length),
      Buffer.alloc(SIGNATURE_BYTES * this.signers.length),
      this.message(NO_BLOCKHASH, data),
    ]);
  }

  /** @throws Error where a signer is missing */
  async sign(data: Buffer, { blockhash, lastValidBlockHeight }: Blockhash, signers: Signer[]): Promise<SignedTransaction> {
    const message = this.message(decoded(blockhash), data);
    const signatures = await Promise.all(
      this.signers.map((address) => {
        const signer = signers.find((one) => one.address === address);
        if (!signer) throw new Error(`the key of ${address} must sign`);
        return signer.sign(message);
      }),
    );
    const bytes = Buffer.concat([lengthOf(signatures.length), ...signatures, message]);
    return { signature: bs58.encode(signatures[0] ?? []), bytes, lastValidBlockHeight, feeLamports: this.feeLamports };
  }

  private message(blockhash: Uint8Array, data: Buffer): Buffer {
    return Buffer.concat([this.head, blockhash, this.middle, lengthOf(data.length), data]);
  }
}

/** A length as Solana writes it, in one or two bytes. */
function lengthOf(length: number): Buffer {
  return Buffer.from(length < ONE_BYTE ? [length] : [(length % ONE_BYTE) + ONE_BYTE, Math.floor(length / ONE_BYTE)]);
}

let latest: { text: string; bytes: Uint8Array } | undefined;

/** The bytes of a blockhash. Transactions of the same seconds have the same one. */
function decoded(text: string): Uint8Array {
  if (latest?.text !== text) latest = { text, bytes: bs58.decode(text) };
  return latest.bytes;
}
