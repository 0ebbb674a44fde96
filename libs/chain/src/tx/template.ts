/** Messages of one instruction between the same accounts: compiled once, of which only blockhash and arguments change. */
import { PublicKey } from '@solana/web3.js';
import bs58 from 'bs58';
import type { Blockhash } from '../rpc/blockhashes';
import { compile, type Draft, feeOf } from './build';
import type { Signer } from './signing/signer';
import type { SignedTransaction } from './tx.types';

const BLOCKHASH_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** Lengths below this are one byte in a message. */
const ONE_BYTE = 128;
/** The blockhash of a message that is simulated: the node replaces it. */
const NO_BLOCKHASH = Buffer.alloc(BLOCKHASH_BYTES);

/** Of the header, before the number of addresses. */
const HEADER_BYTES = 3;
const ADDRESS_BYTES = 32;

export class MessageTemplate {
  /** Up to the fee payer, which is the first address: the header, and the number of addresses. */
  private readonly head: Buffer;
  private readonly feePayer: Uint8Array;
  /** The other addresses. */
  private readonly addresses: Buffer;
  /** From the blockhash up to the length of the last instruction's data. */
  private readonly middle: Buffer;
  /** The signers beside the fee payer. */
  private readonly signers: string[];
  private readonly feeLamports: bigint;

  /** @param draft whose last instruction is the one with other data each time, and whose fee payer is in no instruction. */
  constructor(draft: Draft) {
    const { message } = compile(draft, PublicKey.default.toBase58());
    const bytes = Buffer.from(message.serialize());
    const keys = message.staticAccountKeys;
    const { length } = draft.instructions.at(-1)?.data ?? [];
    const keysAt = HEADER_BYTES + lengthOf(keys.length).length;
    const blockhashAt = keysAt + keys.length * ADDRESS_BYTES;
    this.head = bytes.subarray(0, keysAt);
    this.feePayer = draft.feePayer.toBytes();
    this.addresses = bytes.subarray(keysAt + ADDRESS_BYTES, blockhashAt);
    this.middle = bytes.subarray(blockhashAt + BLOCKHASH_BYTES, bytes.length - length - lengthOf(length).length);
    this.signers = keys.slice(1, message.header.numRequiredSignatures).map((key) => key.toBase58());
    this.feeLamports = feeOf(draft, message.header.numRequiredSignatures);
  }

  /** The transaction with these arguments, unsigned, for a simulation. */
  unsigned(data: Buffer): Uint8Array {
    const signatures = this.signers.length + 1;
    return Buffer.concat([
      lengthOf(signatures),
      Buffer.alloc(SIGNATURE_BYTES * signatures),
      this.message(this.feePayer, NO_BLOCKHASH, data),
    ]);
  }

  /** Any key that is in no instruction can be the fee payer. @throws Error if a signer is missing */
  async sign(
    data: Buffer,
    { blockhash, lastValidBlockHeight }: Blockhash,
    feePayer: Signer,
    signers: Signer[],
  ): Promise<SignedTransaction> {
    const message = this.message(decoded(feePayer.address), decoded(blockhash), data);
    const others = this.signers.map((address) => {
      const signer = signers.find((one) => one.address === address);
      if (!signer) throw new Error(`the key of ${address} must sign`);
      return signer;
    });
    const signatures = await Promise.all([feePayer, ...others].map((signer) => signer.sign(message)));
    const bytes = Buffer.concat([lengthOf(signatures.length), ...signatures, message]);
    return { signature: bs58.encode(signatures[0] ?? []), bytes, lastValidBlockHeight, feeLamports: this.feeLamports };
  }

  private message(feePayer: Uint8Array, blockhash: Uint8Array, data: Buffer): Buffer {
    return Buffer.concat([this.head, feePayer, this.addresses, blockhash, this.middle, lengthOf(data.length), data]);
  }
}

/** A length as Solana writes it, in one or two bytes. */
function lengthOf(length: number): Buffer {
  return Buffer.from(length < ONE_BYTE ? [length] : [(length % ONE_BYTE) + ONE_BYTE, Math.floor(length / ONE_BYTE)]);
}

/** As many as there may be fee payers, and a few blockhashes. */
const MAX_DECODED = 100;
const known = new Map<string, Uint8Array>();

/** The bytes of an address or a blockhash. The transactions of some seconds have the same ones. */
function decoded(text: string): Uint8Array {
  const bytes = known.get(text) ?? bs58.decode(text);
  if (known.size >= MAX_DECODED) known.clear();
  known.set(text, bytes);
  return bytes;
}
