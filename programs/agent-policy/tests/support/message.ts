/** Compiles legacy messages. The library's compiler takes half of the time of a test with thousands of transactions. */
import type { PublicKey, TransactionInstruction } from '@solana/web3.js';

const BLOCKHASH_BYTES = 32;

interface Meta {
  key: PublicKey;
  isSigner: boolean;
  isWritable: boolean;
}

/** The message's bytes, with a blockhash of zeros; its accounts; and how many of them, the first ones, sign. */
export function compile(
  feePayer: PublicKey,
  instructions: TransactionInstruction[],
): { bytes: Buffer; accounts: PublicKey[]; signers: number } {
  const metas = new Map<string, Meta>();
  const add = (key: PublicKey, isSigner: boolean, isWritable: boolean) => {
    const meta = metas.get(idOf(key));
    if (!meta) return void metas.set(idOf(key), { key, isSigner, isWritable });
    meta.isSigner ||= isSigner;
    meta.isWritable ||= isWritable;
  };
  add(feePayer, true, true);
  for (const { keys, programId } of instructions) {
    for (const { pubkey, isSigner, isWritable } of keys) add(pubkey, isSigner, isWritable);
    add(programId, false, false);
  }
  const all = [...metas.values()];
  const groups = [true, false].flatMap((isSigner) =>
    [true, false].map((isWritable) => all.filter((meta) => meta.isSigner === isSigner && meta.isWritable === isWritable)),
  );
  const [writable, readOnlySigners, , readOnly] = groups.map(({ length }) => length) as [number, number, number, number];
  const accounts = groups.flat().map(({ key }) => key);
  const indexes = new Map(accounts.map((key, index) => [idOf(key), index]));
  const indexOf = (key: PublicKey) => indexes.get(idOf(key)) ?? 0;
  const compiled = instructions.flatMap(({ programId, keys, data }) => [
    Buffer.of(indexOf(programId), ...lengthOf(keys.length), ...keys.map(({ pubkey }) => indexOf(pubkey)), ...lengthOf(data.length)),
    data,
  ]);
  const signers = writable + readOnlySigners;
  const bytes = Buffer.concat([
    Buffer.of(signers, readOnlySigners, readOnly, ...lengthOf(accounts.length)),
    ...accounts.map((key) => key.toBytes()),
    Buffer.alloc(BLOCKHASH_BYTES),
    Buffer.of(...lengthOf(instructions.length)),
    ...compiled,
  ]);
  return { bytes, accounts, signers };
}

const ids = new WeakMap<PublicKey, string>();

/** A key's bytes as a string, once for each object. */
function idOf(key: PublicKey): string {
  const known = ids.get(key);
  if (known !== undefined) return known;
  const id = Buffer.from(key.toBytes()).toString('latin1');
  ids.set(key, id);
  return id;
}

/** A length in one or two bytes. */
const lengthOf = (length: number): number[] => (length < 128 ? [length] : [(length % 128) + 128, Math.floor(length / 128)]);
